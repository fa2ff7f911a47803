import LatchkeyModel
import LatchkeySelfService
import LatchkeyServer
import LatchkeyServerKit
import LatchkeyTestKit
import LatchkeyWire
import TestDatabases
import Testing

@Suite(.onEachDatabase) struct `Recovery flows` {
    @Test func `The form's label names the types of address that can be used for recovery`() async throws {
        let server = try await SelfServiceServer()
        let flow = await server.get("/self-service/recovery/api")
        #expect(flow.status == 200)
        #expect(flow["state"] == "choose_method")
        #expect(flow["active"] == "code")
        #expect(flow.fields == ["csrf_token", "email", "method"])
        #expect(flow.node("email")?["attributes"]?["type"] == "email")
        #expect(flow.label("email") == .email)
        #expect(try await server.count("flows") == 0)
    }

    @Test func `A code lets the user log in and choose a new password`() async throws {
        let server = try await SelfServiceServer()
        try await server.register()
        let flow = await server.begin(.recovery)
        let sent = try await server.submitCode(.recovery, flow, ["email": "person1@example.org"])
        #expect(sent.status == 200)
        #expect(sent["state"] == "sent_email")
        #expect(sent.messages == [.recoveryCodeSent])
        #expect(sent.fields == ["csrf_token", "method", "code", "method", "email"])
        #expect(sent.node("code")?["attributes"]?["maxlength"] == .integer(6))
        let code = JSONValue.string(try await server.code(for: "person1@example.org"))
        let done = try await server.submitCode(.recovery, flow, ["code": code])
        #expect(done.status == 200)
        #expect(done["state"] == "passed_challenge")
        #expect(done.messages.isEmpty)
        let items = done["continue_with"]?.elements ?? []
        #expect(items.map { $0["action"]?.text } == ["set_ory_session_token", "show_settings_ui"])
        let token = try #require(items.first?["ory_session_token"]?.text)
        let me = await server.get("/sessions/whoami", token: token)
        #expect(me["authentication_methods"]?.first?["method"] == "code_recovery")
        let settings = try #require(items.last?["flow"]?["id"]?.text)
        let shown = await server.get("/self-service/settings/flows?id=\(settings)", token: token)
        #expect(shown.messages == [.recovered])
        let context = shown["ui"]?["messages"]?.first?["context"]
        let end = server.time.now + .seconds(3600)
        #expect(context?["privileged_session_expires_at"]?.text == end.description)
        #expect(context?["privileged_session_expires_at_unix"] == .integer(end.seconds))
        let changed = try await server.submit(
            .settings,
            settings,
            .object(["method": "password", "password": "fresh-Start-pass-1"]),
            token: token
        )
        #expect(changed.status == 200)
        #expect(try await server.login("person1@example.org", "fresh-Start-pass-1").status == 200)
        #expect(try await server.login().status == 400)
        // Reading the message has verified the address.
        let addresses = me["identity"]?["verifiable_addresses"]?.elements
        #expect(addresses?.first { $0["via"] == "email" }?["verified"] == .bool(true))
    }

    @Test func `Unknown addresses get the same responses`() async throws {
        let server = try await SelfServiceServer()
        try await server.register()
        var answers: [JSONValue] = []
        // The account's phone number isn't a recovery address.
        for address in ["person1@example.org", "person2@example.org"] {
            let flow = await server.begin(.recovery)
            let sent = try await server.submitCode(.recovery, flow, ["email": .string(address)])
            let wrong = try await server.submitCode(.recovery, flow, ["code": "000000"])
            #expect(sent.status == 200 && wrong.status == 200)
            #expect(wrong.messages == [.wrongRecoveryCode])
            answers.append(.array([sent.masked(address), wrong.masked(address)]))
        }
        #expect(answers[1] == answers[0])
        await server.messagesAreSent()
        #expect(server.inbox.messages(for: "person2@example.org").isEmpty)
    }

    @Test func `No code is sent to an address that is only used for verification`() async throws {
        let server = try await SelfServiceServer()
        try await server.register()
        let flow = await server.begin(.recovery)
        let sent = try await server.submitCode(.recovery, flow, ["email": "+46701000001"])
        #expect(sent.messages == [.recoveryCodeSent])
        await server.messagesAreSent()
        #expect(server.inbox.messages(for: "+46701000001").isEmpty)
    }

    @Test func `After five wrong guesses, the user continues in a new flow`() async throws {
        let server = try await SelfServiceServer()
        try await server.register()
        let flow = await server.begin(.recovery)
        _ = try await server.submitCode(.recovery, flow, ["email": "person1@example.org"])
        let code = try await server.code(for: "person1@example.org")
        for _ in 1...5 {
            let answer = try await server.submitCode(.recovery, flow, ["code": SelfServiceServer.wrong(code)])
            #expect(answer.status == 200)
            #expect(answer["state"] == "sent_email")
            #expect(answer.messages == [.wrongRecoveryCode])
        }
        let answer = try await server.submitCode(.recovery, flow, ["code": .string(code)])
        #expect(answer.status == 400)
        #expect(answer.errorID == nil)
        let item = answer["error"]?["details"]?["continue_with"]?.first
        #expect(item?["action"] == "show_recovery_ui")
        let next = try #require(item?["flow"]?["id"]?.text)
        #expect(await server.get("/self-service/recovery/flows?id=\(next)").messages == [.validation])
        #expect(try await server.count("sessions") == 1)
    }

    @Test func `Submitting the address again sends another code`() async throws {
        let server = try await SelfServiceServer()
        try await server.register()
        let flow = await server.begin(.recovery)
        _ = try await server.submitCode(.recovery, flow, ["email": "person1@example.org"])
        _ = try await server.code(for: "person1@example.org")
        server.time.advance(by: .seconds(30))
        let again = try await server.submitCode(
            .recovery,
            flow,
            ["email": "person1@example.org", "code": "1"]
        )
        #expect(again.messages == [.recoveryCodeSent])
        let code = JSONValue.string(try await server.code(for: "person1@example.org"))
        #expect(try await server.submitCode(.recovery, flow, ["code": code])["state"] == "passed_challenge")
    }

    @Test func `A completed flow is replaced with a new one`() async throws {
        let server = try await SelfServiceServer()
        try await server.register()
        let flow = await server.begin(.recovery)
        _ = try await server.submitCode(.recovery, flow, ["email": "person1@example.org"])
        let code = JSONValue.string(try await server.code(for: "person1@example.org"))
        _ = try await server.submitCode(.recovery, flow, ["code": code])
        let again = try await server.submitCode(.recovery, flow, ["code": code])
        #expect(again.status == 200)
        #expect(again["id"]?.text != flow)
        #expect(again["state"] == "choose_method")
        #expect(again.messages == [.recoveryDone])
        // The completed flow doesn't reveal the session token.
        let shown = await server.get("/self-service/recovery/flows?id=\(flow)")
        #expect(shown["state"] == "passed_challenge")
        #expect(shown["continue_with"] == nil)
    }

    @Test func `A recovery is rejected once the flow has expired`() async throws {
        let server = try await SelfServiceServer()
        let flow = await server.begin(.recovery)
        server.time.advance(by: .seconds(3600))
        let answer = try await server.submitCode(.recovery, flow, ["email": "person1@example.org"])
        #expect(answer.status == 410)
        #expect(answer.errorID == .flowExpired)
        let next = answer["use_flow_id"]?.text ?? ""
        #expect(await server.get("/self-service/recovery/flows?id=\(next)").messages == [.recoveryExpired])
    }

    @Test func `A user who is already logged in can't start or submit a recovery`() async throws {
        let server = try await SelfServiceServer()
        let token = try #require(try await server.register()["session_token"]?.text)
        let begun = await server.get("/self-service/recovery/api", token: token)
        #expect(begun.status == 400)
        #expect(begun.errorID == .sessionAlreadyAvailable)
        let flow = await server.begin(.recovery)
        let sent = try await server.submitCode(
            .recovery,
            flow,
            ["email": "person1@example.org"],
            token: token
        )
        #expect(sent.errorID == .sessionAlreadyAvailable)
    }

    @Test func `A recovery can't be started or continued if recovery is disabled`() async throws {
        let server = try await SelfServiceServer { $0.recovery.isEnabled = false }
        let answer = await server.get("/self-service/recovery/api")
        #expect(answer.status == 400)
        #expect(answer.errorID == nil)
        let earlier = server.flows.begin(.recovery, at: server.time.now, random: SystemRandom()).id
        let sent = try await server.submitCode(
            .recovery,
            earlier.description,
            ["email": "person1@example.org"]
        )
        #expect(sent.status == 400 && sent["ui"] == nil)
        #expect(try await server.count("messages") == 0)
    }

    @Test func `A recovery requires the address first and then the code`() async throws {
        let server = try await SelfServiceServer()
        let flow = await server.begin(.recovery)
        #expect(try await server.submit(.recovery, flow, .object([:])).messages == [.noRecoveryStrategy])
        #expect(try await server.submitCode(.recovery, flow, [:]).messages("email") == [.missing])
        #expect(
            try await server.submitCode(.recovery, flow, ["code": "123456"]).messages("email") == [.missing]
        )
        #expect(
            try await server.submitCode(.recovery, flow, ["email": "no-at"]).messages("email") == [
                .invalidEmail
            ]
        )
        _ = try await server.submitCode(.recovery, flow, ["email": "person1@example.org"])
        #expect(try await server.submitCode(.recovery, flow, [:]).messages("code") == [.missing])
    }

    @Test func `Submitting a code many times at once creates only one session`() async throws {
        let server = try await SelfServiceServer()
        try await server.register()
        let flow = await server.begin(.recovery)
        _ = try await server.submitCode(.recovery, flow, ["email": "person1@example.org"])
        let code = JSONValue.string(try await server.code(for: "person1@example.org"))
        let answers = try await withThrowingTaskGroup(of: Answer.self) { group in
            for _ in 0..<20 {
                group.addTask { try await server.submitCode(.recovery, flow, ["code": code]) }
            }
            return try await group.reduce(into: [Answer]()) { $0.append($1) }
        }
        #expect(answers.filter { $0["state"] == "passed_challenge" }.count == 1)
        #expect(try await server.count("sessions") == 2)
    }

    @Test func `A code doesn't give access if the account was disabled after the code was sent`() async throws
    {
        let server = try await SelfServiceServer()
        try await server.register()
        let flow = await server.begin(.recovery)
        _ = try await server.submitCode(.recovery, flow, ["email": "person1@example.org"])
        let code = JSONValue.string(try await server.code(for: "person1@example.org"))
        try await server.resources.database.transaction { transaction in
            _ = try transaction.execute("UPDATE identities SET state = 'inactive'")
        }
        let answer = try await server.submitCode(.recovery, flow, ["code": code])
        #expect(answer.messages == [.wrongRecoveryCode])
        #expect(try await server.count("sessions") == 1)
    }
}
