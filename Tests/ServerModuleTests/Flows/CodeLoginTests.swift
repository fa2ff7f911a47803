import LatchkeyModel
import LatchkeySelfService
import LatchkeyServer
import LatchkeyServerKit
import LatchkeyTestKit
import LatchkeyWire
import TestDatabases
import Testing

@Suite(.onEachDatabase) struct `Login with a code` {
    @Test(arguments: ["person1@example.org", "+46701000001", " Person1@Example.org", "+46 70 100 00 01"])
    func `Spaces and upper case in the identifier are ignored`(_ identifier: String)
        async throws
    {
        let server = try await SelfServiceServer()
        try await server.register()
        let flow = await server.begin(.login)
        let sent = try await server.submitCode(.login, flow, ["identifier": .string(identifier)])
        #expect(sent.status == 400)
        #expect(sent["state"] == "sent_email")
        #expect(sent["active"] == "code")
        #expect(sent.messages == [.loginCodeSent])
        #expect(sent.fields == ["csrf_token", "identifier", "method", "code", "method", "resend"])
        let address = identifier.contains("@") ? "person1@example.org" : "+46701000001"
        #expect(sent.value("identifier")?.text == address)
        let answer = try await server.submitCode(
            .login,
            flow,
            ["identifier": .string(address), "code": .string(try await server.code(for: address))]
        )
        #expect(answer.status == 200)
        // The code has taken the account over, so its other address is missing.
        #expect(answer["continue_with"]?.elements.map { $0["action"] } == ["show_settings_ui"])
        #expect(answer["session"]?["authentication_methods"]?.first?["method"] == "code")
        let token = answer["session_token"]?.text
        let me = await server.get("/sessions/whoami", token: token)
        #expect(me.status == 200)
        // Entering the code has verified the address.
        let verified = me["identity"]?["verifiable_addresses"]?.elements
            .filter { $0["verified"] == .bool(true) }
        #expect(verified?.map { $0["value"]?.text } == [address])
        #expect(verified?.first?["status"] == "completed")
    }

    @Test func `Unknown accounts get the same responses`() async throws {
        let server = try await SelfServiceServer()
        try await server.register()
        var answers: [JSONValue] = []
        for identifier in ["person1@example.org", "person2@example.org", "+46701000009"] {
            let flow = await server.begin(.login)
            let sent = try await server.submitCode(.login, flow, ["identifier": .string(identifier)])
            let wrong = try await server.submitCode(.login, flow, ["code": "000000"])
            #expect(sent.status == 400 && wrong.status == 400)
            answers.append(.array([sent.masked(identifier), wrong.masked(identifier)]))
        }
        #expect(answers[1] == answers[0])
        #expect(answers[2] == answers[0])
        await server.messagesAreSent()
        #expect(server.inbox.messages(for: "person2@example.org").isEmpty)
        #expect(server.inbox.messages(for: "+46701000009").isEmpty)
    }

    @Test func `Operators can choose to reveal that an account doesn't exist`() async throws {
        let server = try await SelfServiceServer { $0.codes.revealsUnknownAccounts = true }
        let flow = await server.begin(.login)
        let answer = try await server.submitCode(.login, flow, ["identifier": "unknown@example.org"])
        #expect(answer.status == 400)
        #expect(answer["state"] == "choose_method")
        #expect(answer.messages == [.noCodeLogin])
        #expect(answer.value("identifier") == "unknown@example.org")
    }

    @Test func `An identifier that isn't an address is rejected`() async throws {
        let server = try await SelfServiceServer()
        let answer = try await server.submitCode(.login, await server.begin(.login), ["identifier": "me"])
        #expect(answer.messages == [.noCodeLogin])
        #expect(answer["state"] == "choose_method")
    }

    @Test func `No code is sent to an address that the schema doesn't use for codes`() async throws {
        let server = try await SelfServiceServer(
            schema: "own",
            schemas: ["own": SelfServiceServer.codesByPhone]
        )
        try await server.register()
        for identifier in ["person1@example.org", "+46701000001"] {
            let flow = await server.begin(.login)
            let answer = try await server.submitCode(.login, flow, ["identifier": .string(identifier)])
            #expect(answer.messages == [.loginCodeSent])
        }
        await server.messagesAreSent()
        #expect(server.inbox.messages(for: "person1@example.org").isEmpty)
        #expect(server.inbox.messages(for: "+46701000001").count == 1)
    }

    @Test func `No code is sent to a disabled account`() async throws {
        let server = try await SelfServiceServer()
        try await server.register()
        try await server.resources.database.transaction { transaction in
            _ = try transaction.execute("UPDATE identities SET state = 'inactive'")
        }
        let flow = await server.begin(.login)
        let answer = try await server.submitCode(.login, flow, ["identifier": "person1@example.org"])
        #expect(answer.messages == [.loginCodeSent])
        await server.messagesAreSent()
        #expect(server.inbox.messages(for: "person1@example.org").isEmpty)
    }

    @Test func `The code is rejected if the account was disabled after the code was sent`() async throws {
        let server = try await SelfServiceServer()
        try await server.register()
        let flow = await server.begin(.login)
        _ = try await server.submitCode(.login, flow, ["identifier": "person1@example.org"])
        let code = try await server.code(for: "person1@example.org")
        try await server.resources.database.transaction { transaction in
            _ = try transaction.execute("UPDATE identities SET state = 'inactive'")
        }
        let answer = try await server.submitCode(.login, flow, ["code": .string(code)])
        #expect(answer.messages == [.identityDisabled])
        #expect(try await server.count("sessions") == 1)
    }

    @Test func `The first step requires an identifier, and the second step requires a code`() async throws {
        let server = try await SelfServiceServer()
        let flow = await server.begin(.login)
        #expect(try await server.submitCode(.login, flow, [:]).messages("identifier") == [.missing])
        _ = try await server.submitCode(.login, flow, ["identifier": "person1@example.org"])
        let answer = try await server.submitCode(.login, flow, ["identifier": "person1@example.org"])
        #expect(answer.messages("code") == [.missing])
        #expect(answer.value("identifier") == "person1@example.org")
        #expect(answer["state"] == "sent_email")
    }

    @Test(arguments: ["000000", "12", "abcdef", "1234567"])
    func `A wrong or malformed code is rejected`(_ code: String) async throws {
        let server = try await SelfServiceServer()
        try await server.register()
        let flow = await server.begin(.login)
        _ = try await server.submitCode(.login, flow, ["identifier": "person1@example.org"])
        let sent = try await server.code(for: "person1@example.org")
        let wrong = code == sent ? "000001" : code
        let answer = try await server.submitCode(.login, flow, ["code": .string(wrong)])
        #expect(answer.status == 400)
        #expect(answer.messages == [.wrongLoginCode])
        #expect(answer["state"] == "sent_email")
        #expect(try await server.submitCode(.login, flow, ["code": .string(sent)]).status == 200)
    }

    @Test func `The password is still accepted in the same flow`() async throws {
        let server = try await SelfServiceServer()
        try await server.register()
        let flow = await server.begin(.login)
        _ = try await server.submitCode(.login, flow, ["identifier": "person1@example.org"])
        let answer = try await server.submit(
            .login,
            flow,
            .object([
                "method": "password", "identifier": "person1@example.org",
                "password": .string(SelfServiceServer.password),
            ])
        )
        #expect(answer.status == 200)
    }

    @Test func `A code re-authenticates the session`() async throws {
        let server = try await SelfServiceServer()
        let token = try #require(try await server.register()["session_token"]?.text)
        server.time.advance(by: .seconds(3600))
        let flow = await server.begin(.login, "?refresh=true", token: token)
        let sent = try await server.submitCode(
            .login,
            flow,
            ["identifier": "person1@example.org"],
            token: token
        )
        #expect(sent.messages == [.codeSentAgain])
        let code = JSONValue.string(try await server.code(for: "person1@example.org"))
        let answer = try await server.submitCode(.login, flow, ["code": code], token: token)
        #expect(answer.status == 200)
        #expect(answer["session_token"]?.text != token)
        #expect(answer["session"]?["authenticated_at"]?.text == server.time.now.description)
        #expect(try await server.count("sessions") == 1)
    }

    @Test func `Codes are rejected if they are disabled or the schema doesn't use them`() async throws {
        let off = try await SelfServiceServer { $0.codes.isLoginEnabled = false }
        #expect(try await off.submitCode(.login, await off.begin(.login), [:]).status == 404)
        let customers = try await SelfServiceServer(schema: "customer")
        #expect(try await customers.submitCode(.login, await customers.begin(.login), [:]).status == 404)
    }
}

extension Answer {
    /// Returns the body with the flow id and the user's identifier replaced by placeholders.
    func masked(_ identifier: String) -> JSONValue {
        let text = String(decoding: response.body, as: UTF8.self)
            .replacing(self["id"]?.text ?? "?", with: "ID").replacing(identifier, with: "WHO")
        return (try? JSONCoding.decode(from: Array(text.utf8))) ?? .null
    }
}
