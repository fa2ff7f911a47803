import Latchkey
import LatchkeyModel
import LatchkeyTestKit
import LatchkeyWire
import TestDatabases
import Testing

@Suite(.onEachDatabase) struct `Access tokens bound to the device key` {
    /// A server route that verifies proofs.
    private static let whoami = HTTP.Request(.get, "/a/sessions/whoami")

    /// Returns an app that uses bound tokens and has a logged-in customer.
    private func app(
        credential: Credential = .boundAccessToken,
        store: MemoryStore = MemoryStore(),
        clockSkew: Duration = .zero
    ) async throws -> TestApp<MemoryStore> {
        let server = try await TestServer()
        try await server.addCustomer(phone: TestAccount.phone, passcode: TestAccount.passcode)
        let app = try TestApp(server, store: store, credential: credential, clockSkew: clockSkew)
        try await app.logIn()
        app.network.forgetExchanges()
        return app
    }

    private func whoami(_ app: TestApp<MemoryStore>) async throws -> Int {
        try await app.client.send(Self.whoami, to: TestServer.url).status
    }

    private func requests(_ app: TestApp<MemoryStore>) -> [HTTP.Request] {
        app.network.exchanges.map(\.request).filter { $0.path == Self.whoami.path }
    }

    @Test func `Each request contains a new proof that the server accepts`() async throws {
        let app = try await app()

        for _ in 1...3 { #expect(try await whoami(app) == 200) }

        let proofs = requests(app).compactMap { $0.headers["DPoP"] }
        #expect(proofs.count == 3 && Set(proofs).count == 3)
        #expect(requests(app).allSatisfy { $0.headers["Authorization"]?.hasPrefix("DPoP ") == true })
        #expect(app.tokenRequests == 1)
    }

    @Test func `The binding is stored, and refreshed tokens are bound as well`() async throws {
        let app = try await app()
        #expect(try await whoami(app) == 200)
        let restarted = try app.restarted()
        #expect(try await whoami(restarted) == 200)
        #expect(app.tokenRequests == 1)

        app.expireTokens()

        #expect(try await whoami(restarted) == 200)
        #expect(app.tokenRequests == 2)
        #expect(requests(app).allSatisfy { $0.headers["Authorization"]?.hasPrefix("DPoP ") == true })
    }

    @Test(arguments: [-86_400, -3600, 3600, 86_400])
    func `A device with a wrong clock uses the server's nonce`(_ seconds: Int) async throws {
        let app = try await app(clockSkew: .seconds(seconds))

        for _ in 1...3 { #expect(try await whoami(app) == 200) }

        // Only the first request is sent again. Later requests already contain the nonce.
        #expect(requests(app).count == 4)
        #expect(app.isLoggedIn)
    }

    @Test func `A request is retried only once if the server keeps asking for another nonce`() async throws {
        let app = try await app()
        let count = Locked(0)
        app.network.serve(TokenCheckingAPI.url) { _ in
            let number = count.withLock { count in
                count += 1
                return count
            }
            return HTTP.Response(
                401,
                headers: [
                    "WWW-Authenticate": #"DPoP error="use_dpop_nonce""#, "DPoP-Nonce": "nonce-\(number)",
                ]
            )
        }

        #expect(try await app.callAPI() == 401)

        // Each of the two tokens is tried with two proofs.
        #expect(count.withLock { $0 } <= 4)
        #expect(app.isLoggedIn)
    }

    @Test func `A stored bearer token is replaced when the app requires bound tokens`() async throws {
        let store = MemoryStore()
        let before = try await app(credential: .accessToken, store: store)
        #expect(try await before.callAPI() == 200)

        let client = try LatchkeyClient(server: TestServer.url, app: "com.example.shop") {
            $0.store = store
            $0.credential = .boundAccessToken
            $0.transport = before.network
            $0.languages = []
            $0.time = before.clock
        }
        #expect(try await client.send(Self.whoami, to: TestServer.url).status == 200)

        #expect(requests(before).last?.headers["Authorization"]?.hasPrefix("DPoP ") == true)
    }

    @Test func `A bearer token is rejected if the client requested a bound token`() async throws {
        let app = try await app()
        app.network.inject(
            .respond(
                .json(
                    200,
                    #"{"access_token":"a.b.c","token_type":"Bearer","expires_in":600,"refresh_token":"r"}"#
                )
            ),
            on: .post,
            "/oauth2/token"
        )

        let error = await failure { try await app.client.send(Self.whoami, to: TestServer.url) }

        #expect(error?.code == .refused && error?.isStillSignedIn == true)
        #expect(requests(app).isEmpty)
    }

    @Test func `A request that the app sends itself has a proof with the server's nonce`() async throws {
        let app = try await app(clockSkew: .seconds(7200))
        let url = TestServer.url + Self.whoami.path
        var statuses: [Int] = []
        for _ in 1...3 {
            let authorization = try await app.client.authorization(for: url)
            var request = Self.whoami
            request.headers = authorization.headers
            let answer = try await app.network.send(request, to: authorization.origin)
            statuses.append(answer.status)
            let shouldRepeat = app.client.reportResponse(
                status: answer.status,
                headers: answer.headers,
                for: authorization
            )
            #expect(shouldRepeat == (answer.status == 401))
        }

        #expect(statuses == [401, 200, 200])
        #expect(app.tokenRequests <= 2)
    }
}
