import LatchkeyAccounts
import LatchkeyModel
import LatchkeySelfService
import LatchkeyServer
import LatchkeyTestKit
import LatchkeyWire
import TestDatabases
import Testing

@Suite(.onEachDatabase) struct `Registration with a code` {
    private let traits = SelfServiceServer.traits()

    @Test
    func `The code is sent to the first address that can receive codes, and entering it creates the account`()
        async throws
    {
        let server = try await SelfServiceServer()
        let flow = await server.begin(.registration)
        let sent = try await server.submitCode(.registration, flow, ["traits": traits])
        #expect(sent.status == 400)
        #expect(sent["state"] == "sent_email")
        #expect(sent["active"] == "code")
        #expect(sent.messages == [.registrationCodeSent])
        #expect(
            sent.fields == [
                "csrf_token", "traits.email", "traits.phone", "traits.name", "method", "code", "method",
                "resend",
            ]
        )
        #expect(sent.node("traits.email")?["attributes"]?["type"] == "hidden")
        #expect(sent.value("traits.email") == "person1@example.org")
        let code = JSONValue.string(try await server.code(for: "person1@example.org"))
        let answer = try await server.submitCode(.registration, flow, ["traits": traits, "code": code])
        #expect(answer.status == 200)
        #expect(answer["session"]?["authentication_methods"]?.first?["method"] == "code")
        #expect(answer["continue_with"]?.elements.map { $0["action"]?.text } == ["set_ory_session_token"])
        let verified = answer["identity"]?["verifiable_addresses"]?.elements
            .filter { $0["verified"] == .bool(true) }
        #expect(verified?.map { $0["value"]?.text } == ["person1@example.org"])
        #expect(await server.get("/sessions/whoami", token: answer["session_token"]?.text).status == 200)
        // The account doesn't have a password, so any password is wrong.
        #expect(try await server.login("person1@example.org", "").status == 400)
        #expect(try await server.count("passwords") == 0)
        #expect(try await server.submitCode(.registration, flow, ["code": code]).status == 410)
    }

    @Test func `The traits from the first step are used if none are submitted`() async throws {
        let server = try await SelfServiceServer()
        let flow = await server.begin(.registration)
        _ = try await server.submitCode(.registration, flow, ["traits": traits])
        let code = JSONValue.string(try await server.code(for: "person1@example.org"))
        #expect(try await server.submitCode(.registration, flow, ["code": code]).status == 200)
    }

    @Test(arguments: [false, true])
    func `The route that verifies phone numbers can't be used to guess a code sent by e-mail`(_ isRight: Bool)
        async throws
    {
        let server = try await SelfServiceServer()
        let flow = await server.begin(.registration)
        _ = try await server.submitCode(.registration, flow, ["traits": traits])
        let code = try await server.code(for: "person1@example.org")
        let body = JSONValue.object([
            "phoneType": "PRIMARY", "flowType": "REGISTRATION", "flowId": .string(flow),
            "otp": isRight ? .string(code) : SelfServiceServer.wrong(code),
        ])
        for _ in 1...6 {
            let refused = try await server.plain(.patch, Route.phoneVerification, body, from: "192.0.2.1")
            #expect(refused.status == 400)
            #expect(refused.errorID == .codeInvalid)
        }
        let members = ["traits": traits, "code": .string(code)]
        #expect(try await server.submitCode(.registration, flow, members).status == 200)
    }

    @Test func `A correct code is rejected if the traits have changed since it was sent`() async throws {
        let server = try await SelfServiceServer()
        let flow = await server.begin(.registration)
        _ = try await server.submitCode(.registration, flow, ["traits": traits])
        let code = JSONValue.string(try await server.code(for: "person1@example.org"))
        let answer = try await server.submitCode(
            .registration,
            flow,
            ["traits": SelfServiceServer.traits(2), "code": code]
        )
        #expect(answer.status == 400)
        #expect(answer.messages == [.traitsChanged])
        #expect(try await server.count("identities") == 0)
        // The rejection doesn't use up the code.
        #expect(
            try await server.submitCode(.registration, flow, ["traits": traits, "code": code]).status == 200
        )
    }

    @Test func `A code is rejected after five wrong guesses`() async throws {
        let server = try await SelfServiceServer()
        let flow = await server.begin(.registration)
        _ = try await server.submitCode(.registration, flow, ["traits": traits])
        let code = try await server.code(for: "person1@example.org")
        for _ in 1...5 {
            let answer = try await server.submitCode(
                .registration,
                flow,
                ["traits": traits, "code": SelfServiceServer.wrong(code)]
            )
            #expect(answer.status == 400)
            #expect(answer.messages == [.wrongRegistrationCode])
            #expect(answer.value("traits.email") == "person1@example.org")
        }
        let answer = try await server.submitCode(.registration, flow, ["code": .string(code)])
        #expect(answer.messages == [.validation])
        #expect(try await server.count("identities") == 0)
    }

    @Test func `The second step requires a code`() async throws {
        let server = try await SelfServiceServer()
        let flow = await server.begin(.registration)
        _ = try await server.submitCode(.registration, flow, ["traits": traits])
        let answer = try await server.submitCode(.registration, flow, ["traits": traits])
        #expect(answer.messages("code") == [.missing])
    }

    @Test func `Users can request another code`() async throws {
        let server = try await SelfServiceServer()
        let flow = await server.begin(.registration)
        _ = try await server.submitCode(.registration, flow, ["traits": traits])
        _ = try await server.code(for: "person1@example.org")
        server.time.advance(by: .seconds(30))
        let again = try await server.submitCode(.registration, flow, ["resend": "code"])
        #expect(again.messages == [.registrationCodeSent])
        let code = JSONValue.string(try await server.code(for: "person1@example.org"))
        #expect(try await server.submitCode(.registration, flow, ["code": code]).status == 200)
    }

    @Test func `Only the owner of an address learns that it already has an account`() async throws {
        let server = try await SelfServiceServer { $0.limits = .unlimited }
        try await server.register()
        let flow = await server.begin(.registration)
        let sent = try await server.submitCode(.registration, flow, ["traits": traits])
        #expect(sent.messages == [.registrationCodeSent])
        let code = JSONValue.string(try await server.code(for: "person1@example.org"))
        let answer = try await server.submitCode(.registration, flow, ["code": code])
        #expect(answer.status == 400)
        #expect(answer.messages == [.duplicateIdentifier])
        #expect(try await server.count("identities") == 1)
    }

    @Test func `Submitting the same code concurrently creates only one account`() async throws {
        let server = try await SelfServiceServer()
        let flow = await server.begin(.registration)
        _ = try await server.submitCode(.registration, flow, ["traits": traits])
        let code = JSONValue.string(try await server.code(for: "person1@example.org"))
        let answers = try await withThrowingTaskGroup(of: Answer.self) { group in
            for _ in 0..<20 {
                group.addTask { try await server.submitCode(.registration, flow, ["code": code]) }
            }
            return try await group.reduce(into: [Answer]()) { $0.append($1) }
        }
        #expect(answers.filter { $0.status == 200 }.count == 1)
        #expect(try await server.count("identities") == 1)
        #expect(try await server.count("sessions") == 1)
    }

    @Test func `Errors in the traits are shown in the form`() async throws {
        let server = try await SelfServiceServer()
        let answer = try await server.submitCode(
            .registration,
            await server.begin(.registration),
            ["traits": .object(["email": "no-at"])]
        )
        #expect(answer.messages("traits.email") == [.invalidEmail])
        #expect(answer.messages("traits.phone") == [.missing])
        #expect(answer["state"] == "choose_method")
    }
}
