import Latchkey
import LatchkeyTestKit
import Testing
import VipasoSDK

@MainActor
@Suite struct `Vipaso languages` {
    @Test func `The configured languages are sent with every request`() async throws {
        let server = try await TestServer.withUsers()
        let transport = server.transport()
        var configuration = VipasoApp.configuration(server, MemoryStore(), transport)
        configuration.languages = ["sv-FI", "fi"]
        let vipaso = try VipasoClient(configuration: configuration)

        let outcome = await answer {
            (answer: @escaping @MainActor (Result<LoginResponse, VipasoError>) -> Void) in
            vipaso.user.customer.login(
                request: LoginRequest(identifier: TestAccount.phone, password: TestAccount.passcode),
                completion: answer
            )
        }

        #expect(outcome.error == nil)
        #expect(Set(transport.exchanges.map { $0.request.headers["Accept-Language"] }) == ["sv-FI, fi;q=0.9"])
        await server.stop()
    }

    @Test func `Invalid language tags are rejected`() async throws {
        let server = try await TestServer()
        var configuration = VipasoApp.configuration(server, MemoryStore(), server.transport())
        configuration.languages = ["Swedish, please"]

        let error = #expect(throws: VipasoError.self) { try VipasoClient(configuration: configuration) }

        guard case .configuration(let message) = error else {
            Issue.record("Unexpected error: \(String(describing: error))")
            return
        }
        #expect(message.contains("Swedish, please"))
        await server.stop()
    }
}
