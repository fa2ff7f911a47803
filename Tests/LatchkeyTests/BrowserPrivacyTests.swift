import LatchkeyModel
import LatchkeyTestKit
import LatchkeyWire
import TestDatabases
import Testing

@testable import Latchkey
@testable import LatchkeyCore

@Suite(.onEachDatabase) struct `Records of a login in a browser` {
    /// A logger that stores the text of all events.
    private final class TextLogger: LatchkeyLogger {
        let lines = Locked<[String]>([])

        func log(_ event: LogEvent) { lines.withLock { $0.append("\(event)") } }
    }

    @Test(arguments: [true, false])
    func `Recorded exchanges and logs contain no secret of the login`(succeeds: Bool) async throws {
        let server = try await TestServer.withBrowserLogin(to: BrowserScene.redirectURI)
        let network = server.transport()
        let shown = Locked<[RecordedExchange]>([])
        let logger = TextLogger()
        let client = try LatchkeyClient(server: TestServer.url, app: "com.example.shop") {
            $0.store = MemoryStore()
            $0.client = ClientRegistration(id: TestServer.clientID, redirectURIs: [BrowserScene.redirectURI])
            $0.transport = network
            $0.languages = []
            $0.time = DeviceClock(server.time)
            $0.logger = logger
            $0.recorder = ExchangeRecorder { exchange in shown.withLock { $0.append(exchange) } }
        }
        let user = BrowserUser(
            server,
            redirectURI: BrowserScene.redirectURI,
            identifier: TestServer.person,
            password: TestAccount.passcode
        )
        if !succeeds { network.inject(.respond(HTTP.Response(500)), on: .get, "/a/sessions/whoami") }

        let error = await failure { try await client.signIn(in: user) }
        #expect((error == nil) == succeeds)
        client.signOut()
        #expect(await client.engine.revocations?.settle() == true)

        let exchanges = network.exchanges
        let sent = exchanges.map { Self.text(of: $0.request, and: $0.response) }.joined(separator: "\n")
        let records = shown.withLock { $0 }
        let text =
            records.map { Self.text(of: $0.request, and: try? $0.outcome.get()) }.joined(separator: "\n")
            + logger.lines.withLock { $0 }.joined(separator: "\n")
        #expect(records.count == exchanges.count)
        var names: Set<String> = []
        for (name, secret) in exchanges.flatMap({ Self.secrets(of: $0) }) {
            names.insert(name)
            #expect(sent.contains(secret), "The test does not send \(name).")
            #expect(!text.contains(secret), "\(name)")
            #expect(!"\(String(describing: error))".contains(secret), "\(name)")
        }
        #expect(
            names.isSuperset(of: [
                "code", "code_verifier", "state", "nonce", "request_uri", "access_token", "id_token",
                "subject_token", "DPoP", "X-Session-Token",
            ]),
            "\(names)"
        )
        // The page's address has no secret, so it can be an argument of the browser.
        for (name, secret) in exchanges.flatMap({ Self.secrets(of: $0) }) where name != "request_uri" {
            #expect(!user.opened[0].contains(secret), "\(name)")
        }
    }

    private static func text(of request: HTTP.Request, and response: HTTP.Response?) -> String {
        let fields = (request.headers.fields + (response?.headers.fields ?? [])).map {
            "\($0.name): \($0.value)"
        }
        let bodies = [request.body, response?.body ?? []].map { String(decoding: $0, as: UTF8.self) }
        return ([request.path, request.query ?? ""] + fields + bodies).joined(separator: "\n")
    }

    /// Returns the secrets of an exchange as they were sent, by their names.
    private static func secrets(of exchange: NetworkExchange) -> [(String, String)] {
        var secrets = ["DPoP", "X-Session-Token"].compactMap { name in
            exchange.request.headers[name].map { (name, $0) }
        }
        let form = QueryItems(encoded: exchange.request.body)
        secrets += ["code", "code_verifier", "state", "nonce", "subject_token", "refresh_token", "token"]
            .compactMap { name in form[name].map { (name, $0) } }
        let json = try? JSONCoding.decode(JSONValue.self, from: exchange.response?.body ?? [])
        secrets += ["access_token", "refresh_token", "id_token", "request_uri"].compactMap { name in
            json?[name]?.text.map { (name, $0) }
        }
        return secrets.filter { $0.1.utf8.count >= 16 }
    }
}
