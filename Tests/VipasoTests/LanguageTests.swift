import Latchkey
import LatchkeyTestKit
import Testing
import VipasoSDK

@MainActor
@Suite struct `The languages of a configuration` {
    @Test func `are sent with every request to the server`() async throws {
        let server = try await TestServer.withUsers()
        let transport = server.transport()
        var configuration = Phone.configuration(server, MemoryStore(), transport)
        configuration.languages = ["sv-FI", "fi"]
        let vipaso = try VipasoClient(configuration: configuration)

        let outcome = await answer {
            (answer: @escaping @MainActor (Result<LoginResponse, VipasoError>) -> Void) in
            vipaso.user.customer.login(
                request: LoginRequest(identifier: Phone.number, password: Phone.passcode),
                completion: answer
            )
        }

        #expect(outcome.error == nil)
        #expect(Set(transport.exchanges.map { $0.request.headers["Accept-Language"] }) == ["sv-FI, fi;q=0.9"])
        await server.stop()
    }

    @Test func `are refused when they are no language tags`() async throws {
        let server = try await TestServer()
        var configuration = Phone.configuration(server, MemoryStore(), server.transport())
        configuration.languages = ["Swedish, please"]

        let error = #expect(throws: VipasoError.self) { try VipasoClient(configuration: configuration) }

        guard case .configuration(let message) = error else {
            Issue.record("The error is \(String(describing: error)).")
            return
        }
        #expect(message.contains("Swedish, please"))
        await server.stop()
    }
}
