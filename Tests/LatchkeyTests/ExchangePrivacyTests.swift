import Latchkey
import LatchkeyModel
import LatchkeyTestKit
import LatchkeyWire
import Testing

@Suite(.timeLimit(.minutes(10))) struct `Recorded exchanges of a sign-up and a login` {
    private static let passcode = "735291"
    private static let email = "ada.lovelace@example.org"
    private static let api = "https://api.example.com"

    @Test(arguments: [Credential.sessionToken, .accessToken])
    func `Recorded exchanges contain no secret, phone number or e-mail address`(_ credential: Credential)
        async throws
    {
        let server = try await TestServer()
        let network = server.transport()
        network.serve(Self.api) { _ in
            HTTP.Response(
                200,
                headers: ["X-Hidden": "hidden-1"],
                body: Array(#"{"balance":"hidden-2"}"#.utf8)
            )
        }
        let shown = Locked<[RecordedExchange]>([])
        let client = try LatchkeyClient(
            server: TestServer.url,
            app: "com.example.shop",
            apiOrigins: [Self.api]
        ) {
            $0.store = MemoryStore()
            $0.credential = credential
            $0.transport = network
            $0.languages = []
            $0.time = server.time
            $0.recorder = ExchangeRecorder { exchange in shown.withLock { $0.append(exchange) } }
        }

        let sent = try await client.signUp.begin(phone: TestAccount.phone)
        let code = try await server.code(for: TestAccount.phone)
        try await sent.verify(code).finish(password: Self.passcode, name: TestAccount.name, email: Self.email)
        _ = try await client.data(from: Self.api + "/me?api_key=hidden-3")
        client.signOut()
        try await client.signIn(phone: TestAccount.phone, password: Self.passcode)
        _ = try await client.data(from: Self.api + "/me?api_key=hidden-3")
        server.time.advance(by: .seconds(601))
        _ = try await client.data(from: Self.api + "/me?api_key=hidden-3")
        try await client.checkSession()

        let exchanges = network.exchanges
        let sentText = Self.text(exchanges.map { ($0.request, $0.response) })
        let shownText = Self.text(shown.withLock { $0 }.map { ($0.request, try? $0.outcome.get()) })
        var secrets = [
            code, Self.passcode, Self.email, TestAccount.phone, "hidden-1", "hidden-2", "hidden-3",
        ]
        secrets += exchanges.flatMap { Self.credentials(of: $0) }
        #expect(secrets.count > 15)
        for secret in secrets {
            #expect(sentText.contains(secret), "The test does not send \(secret).")
            #expect(!shownText.contains(secret), "\(secret)")
        }
        // Apart from the secrets, the exchanges are reported completely.
        #expect(shown.withLock { $0.count } == exchanges.count)
        for part in [
            "/a/self-service/registration", #""method":"password""#, "BEGIN CERTIFICATE", #""first":"User""#,
        ] {
            #expect(shownText.contains(part), "\(part)")
        }
        await server.stop()
    }

    private static func text(_ exchanges: [(HTTP.Request, HTTP.Response?)]) -> String {
        exchanges.map { request, response in
            let fields = (request.headers.fields + (response?.headers.fields ?? [])).map {
                "\($0.name): \($0.value)"
            }
            let bodies = [request.body, response?.body ?? []].map { String(decoding: $0, as: UTF8.self) }
            return ([request.path, request.query ?? ""] + fields + bodies).joined(separator: "\n")
        }.joined(separator: "\n")
    }

    /// Returns the credentials that an exchange contains before it is redacted.
    private static func credentials(of exchange: NetworkExchange) -> [String] {
        var credentials = ["X-Session-Token", "DPoP"].compactMap { exchange.request.headers[$0] }
        if let bearer = exchange.request.headers["Authorization"] {
            credentials.append(String(bearer.dropFirst("Bearer ".count)))
        }
        let json = try? JSONCoding.decode(JSONValue.self, from: exchange.response?.body ?? [])
        credentials += ["session_token", "access_token", "refresh_token"].compactMap { json?[$0]?.text }
        return credentials
    }
}
