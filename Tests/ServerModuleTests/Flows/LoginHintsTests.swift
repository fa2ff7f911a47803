import LatchkeyModel
import LatchkeySelfService
import LatchkeyServer
import LatchkeyTestKit
import LatchkeyWire
import TestDatabases
import Testing

@Suite(.onEachDatabase) struct `Login hints for duplicate identifiers` {
    private func register(_ server: SelfServiceServer) async throws -> JSONValue? {
        try await server.register()
        let answer = try await server.register()
        #expect(answer.status == 400)
        return answer["ui"]?["messages"]?.elements.first
    }

    @Test func `The hints list the login methods of the existing account`() async throws {
        let message = try await register(SelfServiceServer { $0.registration.showsLoginHints = true })
        #expect(message?.messageID == .duplicateWithHints)
        let context = message?["context"]
        #expect(context?["available_credential_types"] == .array(["password", "code"]))
        #expect(context?["credential_identifier_hint"] == "person1@example.org")
    }

    @Test func `The hints don't list disabled methods`() async throws {
        let message = try await register(
            SelfServiceServer {
                $0.registration.showsLoginHints = true
                $0.codes.isLoginEnabled = false
            }
        )
        #expect(message?["context"]?["available_credential_types"] == .array(["password"]))
    }

    @Test func `The hints don't list methods that can't be used with the address`() async throws {
        let message = try await register(
            SelfServiceServer(schema: "own", schemas: ["own": SelfServiceServer.codesByPhone]) {
                $0.registration.showsLoginHints = true
            }
        )
        #expect(message?["context"]?["credential_identifier_hint"] == "person1@example.org")
        #expect(message?["context"]?["available_credential_types"] == .array(["password"]))
    }

    @Test func `The hints are only included if the operator enables them`() async throws {
        let message = try await register(SelfServiceServer())
        #expect(message?.messageID == .duplicateIdentifier)
        #expect(message?["context"] == nil)
    }
}
