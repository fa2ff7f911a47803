import LatchkeyModel
import LatchkeyServerCore
import LatchkeyTestKit
import LatchkeyWire
import TestDatabases
import Testing

@Suite(.onEachDatabase) struct `Registering with a code` {
    private let traits = FlowServer.traits()

    @Test func `sends a code to the first address that takes one, and makes an account with it`() async throws
    {
        let server = try await FlowServer()
        let flow = await server.begin(.registration)
        let sent = try await server.submitCode(.registration, flow, ["traits": traits])
        #expect(sent.status == 400)
        #expect(sent["state"] == "sent_email")
        #expect(sent["active"] == "code")
        #expect(sent.messages == [1_040_005])
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
        // There is no password, so that none is right.
        #expect(try await server.login("person1@example.org", "").status == 400)
        #expect(try await server.count("passwords") == 0)
        #expect(try await server.submitCode(.registration, flow, ["code": code]).status == 410)
    }

    @Test func `takes the traits of the first step when they are not sent again`() async throws {
        let server = try await FlowServer()
        let flow = await server.begin(.registration)
        _ = try await server.submitCode(.registration, flow, ["traits": traits])
        let code = JSONValue.string(try await server.code(for: "person1@example.org"))
        #expect(try await server.submitCode(.registration, flow, ["code": code]).status == 200)
    }

    @Test func `refuses a right code for other traits than it was sent for`() async throws {
        let server = try await FlowServer()
        let flow = await server.begin(.registration)
        _ = try await server.submitCode(.registration, flow, ["traits": traits])
        let code = JSONValue.string(try await server.code(for: "person1@example.org"))
        let answer = try await server.submitCode(
            .registration,
            flow,
            ["traits": FlowServer.traits(2), "code": code]
        )
        #expect(answer.status == 400)
        #expect(answer.messages == [4_000_036])
        #expect(try await server.count("identities") == 0)
        // The code was not spent on it.
        #expect(
            try await server.submitCode(.registration, flow, ["traits": traits, "code": code]).status == 200
        )
    }

    @Test func `takes five guesses`() async throws {
        let server = try await FlowServer()
        let flow = await server.begin(.registration)
        _ = try await server.submitCode(.registration, flow, ["traits": traits])
        let code = try await server.code(for: "person1@example.org")
        for _ in 1...5 {
            let answer = try await server.submitCode(
                .registration,
                flow,
                ["traits": traits, "code": FlowServer.wrong(code)]
            )
            #expect(answer.status == 400)
            #expect(answer.messages == [4_040_003])
            #expect(answer.value("traits.email") == "person1@example.org")
        }
        let answer = try await server.submitCode(.registration, flow, ["code": .string(code)])
        #expect(answer.messages == [4_000_001])
        #expect(try await server.count("identities") == 0)
    }

    @Test func `needs a code in the second step`() async throws {
        let server = try await FlowServer()
        let flow = await server.begin(.registration)
        _ = try await server.submitCode(.registration, flow, ["traits": traits])
        let answer = try await server.submitCode(.registration, flow, ["traits": traits])
        #expect(answer.messages("code") == [4_000_002])
    }

    @Test func `sends another code when asked`() async throws {
        let server = try await FlowServer()
        let flow = await server.begin(.registration)
        _ = try await server.submitCode(.registration, flow, ["traits": traits])
        _ = try await server.code(for: "person1@example.org")
        server.time.advance(by: .seconds(30))
        let again = try await server.submitCode(.registration, flow, ["resend": "code"])
        #expect(again.messages == [1_040_005])
        let code = JSONValue.string(try await server.code(for: "person1@example.org"))
        #expect(try await server.submitCode(.registration, flow, ["code": code]).status == 200)
    }

    @Test func `tells only the owner of an address that it has an account`() async throws {
        let server = try await FlowServer { $0.limits = .lifted }
        try await server.register()
        let flow = await server.begin(.registration)
        let sent = try await server.submitCode(.registration, flow, ["traits": traits])
        #expect(sent.messages == [1_040_005])
        let code = JSONValue.string(try await server.code(for: "person1@example.org"))
        let answer = try await server.submitCode(.registration, flow, ["code": code])
        #expect(answer.status == 400)
        #expect(answer.messages == [4_000_007])
        #expect(try await server.count("identities") == 1)
    }

    @Test func `makes one account of one code that comes twenty times at once`() async throws {
        let server = try await FlowServer()
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

    @Test func `shows what is wrong with the traits`() async throws {
        let server = try await FlowServer()
        let answer = try await server.submitCode(
            .registration,
            await server.begin(.registration),
            ["traits": .object(["email": "no-at"])]
        )
        #expect(answer.messages("traits.email") == [4_000_040])
        #expect(answer.messages("traits.phone") == [4_000_002])
        #expect(answer["state"] == "choose_method")
    }
}

@Suite(.onEachDatabase) struct `Registering in two steps` {
    private func server() async throws -> FlowServer {
        try await FlowServer { $0.registrationStyle = .profileFirst }
    }

    @Test func `asks for the traits, then for a credential`() async throws {
        let server = try await server()
        let begun = await server.get("/self-service/registration/api")
        #expect(begun.fields == ["csrf_token", "traits.email", "traits.phone", "traits.name", "method"])
        #expect(begun.value("method") == "profile")
        let flow = begun["id"]?.text ?? ""
        let profile = JSONValue.object(["method": "profile", "traits": FlowServer.traits()])
        let step = try await server.submit(.registration, flow, profile)
        #expect(step.status == 400)
        #expect(step["state"] == "choose_method")
        #expect(step.messages == [1_040_009])
        #expect(
            step.fields == [
                "csrf_token", "traits.email", "traits.phone", "traits.name", "method", "password", "method",
                "screen",
            ]
        )
        #expect(step.node("traits.email")?["attributes"]?["type"] == "hidden")
        #expect(step.value("traits.email") == "person1@example.org")
        let shown = await server.get("/self-service/registration/flows?id=\(flow)")
        #expect(shown.body == step.body)
        let answer = try await server.submit(
            .registration,
            flow,
            .object(["method": "password", "password": .string(FlowServer.password)])
        )
        #expect(answer.status == 200)
        #expect(answer["identity"]?["traits"] == FlowServer.traits())
    }

    @Test func `goes on with a code as well`() async throws {
        let server = try await server()
        let flow = await server.begin(.registration)
        let profile = JSONValue.object(["method": "profile", "traits": FlowServer.traits()])
        _ = try await server.submit(.registration, flow, profile)
        #expect(try await server.submitCode(.registration, flow, [:]).messages == [1_040_005])
        let code = JSONValue.string(try await server.code(for: "person1@example.org"))
        #expect(try await server.submitCode(.registration, flow, ["code": code]).status == 200)
    }

    @Test func `leads back to the traits with what was typed`() async throws {
        let server = try await server()
        let flow = await server.begin(.registration)
        let profile = JSONValue.object(["method": "profile", "traits": FlowServer.traits()])
        _ = try await server.submit(.registration, flow, profile)
        for back: JSONValue in [
            .object(["method": "profile", "screen": "previous"]), .object(["screen": "previous"]),
        ] {
            let answer = try await server.submit(.registration, flow, back)
            #expect(answer.status == 400)
            #expect(answer.fields == ["csrf_token", "traits.email", "traits.phone", "traits.name", "method"])
            #expect(answer.node("traits.email")?["attributes"]?["type"] == "email")
            #expect(answer.messages.isEmpty)
        }
    }

    @Test func `stays at the traits while something is wrong with them`() async throws {
        let server = try await server()
        let answer = try await server.submit(
            .registration,
            await server.begin(.registration),
            .object(["method": "profile", "traits": .object(["email": "no-at", "phone": "+46701234567"])])
        )
        #expect(answer.messages("traits.email") == [4_000_040])
        #expect(answer.value("method") == "profile")
    }

    @Test func `is no way where registration has one step`() async throws {
        let server = try await FlowServer()
        let profile = JSONValue.object(["method": "profile", "traits": FlowServer.traits()])
        #expect(
            try await server.submit(.registration, await server.begin(.registration), profile).status == 404
        )
    }
}

@Suite(.onEachDatabase) struct `The end of a registration` {
    @Test func `opens no session where an operator wants none`() async throws {
        let server = try await FlowServer { $0.sessionAfterRegistration = false }
        let answer = try await server.register()
        #expect(answer.status == 200)
        #expect(answer["session_token"] == nil)
        #expect(answer["session"] == nil)
        #expect(answer["identity"]?["id"]?.text != nil)
        #expect(answer["continue_with"] == .null)
        #expect(try await server.count("sessions") == 0)
        #expect(try await server.login().status == 200)
    }

    @Test func `sends a code to each address where an operator wants it, phones first`() async throws {
        let server = try await FlowServer { $0.verificationAfterRegistration = true }
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
        for (item, message) in zip(items, [1_080_004, 1_080_003]) {
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

    @Test func `sends none to the address that a code has proved already`() async throws {
        let server = try await FlowServer { $0.verificationAfterRegistration = true }
        let flow = await server.begin(.registration)
        _ = try await server.submitCode(.registration, flow, ["traits": FlowServer.traits()])
        let code = JSONValue.string(try await server.code(for: "person1@example.org"))
        let answer = try await server.submitCode(.registration, flow, ["code": code])
        let addresses = answer["continue_with"]?.elements.compactMap {
            $0["flow"]?["verifiable_address"]?.text
        }
        #expect(addresses == ["+46701000001"])
    }

    @Test func `does not fail when an address has had its codes`() async throws {
        let server = try await FlowServer { $0.verificationAfterRegistration = true }
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
