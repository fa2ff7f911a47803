import LatchkeyModel
import LatchkeySelfService
import LatchkeyServer
import LatchkeyTestKit
import LatchkeyWire
import TestDatabases
import Testing

@Suite(.onEachDatabase) struct `Completing a registration` {
    @Test func `Operators can disable the session that a registration creates`() async throws {
        let server = try await SelfServiceServer { $0.registration.opensSession = false }
        let answer = try await server.register()
        #expect(answer.status == 200)
        #expect(answer["session_token"] == nil)
        #expect(answer["session"] == nil)
        #expect(answer["identity"]?["id"]?.text != nil)
        #expect(answer["continue_with"] == .null)
        #expect(try await server.count("sessions") == 0)
        #expect(try await server.login().status == 200)
    }

    @Test
    func `Operators can have registration send a code to each address, starting with phone numbers`()
        async throws
    {
        let server = try await SelfServiceServer { $0.registration.sendsVerification = true }
        let answer = try await server.register()
        let items = answer["continue_with"]?.elements ?? []
        #expect(
            items.map { $0["action"]?.text } == [
                "show_verification_ui", "show_verification_ui", "set_ory_session_token",
            ]
        )
        #expect(
            items.compactMap { $0["flow"]?["verifiable_address"]?.text } == [
                "+46701000001", "person1@example.org",
            ]
        )
        #expect(items.allSatisfy { $0["flow"]?["url"] == nil })
        let statuses = answer["identity"]?["verifiable_addresses"]?.elements.map { $0["status"]?.text }
        #expect(statuses == ["sent", "sent"])
        for (item, message) in zip(items, [MessageID.phoneCodeSent, .emailCodeSent]) {
            let flow = try #require(item["flow"]?["id"]?.text)
            let address = try #require(item["flow"]?["verifiable_address"]?.text)
            let shown = await server.get("/self-service/verification/flows?id=\(flow)")
            #expect(shown["state"] == "sent_email")
            #expect(shown.messages == [message])
            let code = JSONValue.string(try await server.code(for: address))
            let verified = try await server.submitCode(.verification, flow, ["code": code])
            #expect(verified["state"] == "passed_challenge")
        }
        let me = await server.get("/sessions/whoami", token: answer["session_token"]?.text)
        #expect(
            me["identity"]?["verifiable_addresses"]?.elements.allSatisfy { $0["verified"] == .bool(true) }
                == true
        )
    }

    @Test func `No code is sent to an address that was already verified with a code`() async throws {
        let server = try await SelfServiceServer { $0.registration.sendsVerification = true }
        let flow = await server.begin(.registration)
        _ = try await server.submitCode(.registration, flow, ["traits": SelfServiceServer.traits()])
        let code = JSONValue.string(try await server.code(for: "person1@example.org"))
        let answer = try await server.submitCode(.registration, flow, ["code": code])
        let addresses = answer["continue_with"]?.elements.compactMap {
            $0["flow"]?["verifiable_address"]?.text
        }
        #expect(addresses == ["+46701000001"])
    }

    @Test func `Registration succeeds even if an address has reached its code limit`() async throws {
        let server = try await SelfServiceServer { $0.registration.sendsVerification = true }
        let flow = await server.begin(.verification)
        _ = try await server.submitCode(.verification, flow, ["email": "+46701000001"])
        let answer = try await server.register()
        #expect(answer.status == 200)
        let addresses = answer["continue_with"]?.elements.compactMap {
            $0["flow"]?["verifiable_address"]?.text
        }
        #expect(addresses == ["person1@example.org"])
        let statuses = answer["identity"]?["verifiable_addresses"]?.elements.map { $0["status"]?.text }
        #expect(statuses == ["sent", "pending"])
    }
}
