import LatchkeyModel
import LatchkeySelfService
import LatchkeyServer
import LatchkeyTestKit
import LatchkeyWire
import TestDatabases
import Testing

@Suite(.onEachDatabase) struct `Verification flows` {
    @Test func `The form's label names the types of address that can be verified`() async throws {
        let server = try await SelfServiceServer()
        let flow = await server.get("/self-service/verification/api")
        #expect(flow.status == 200)
        #expect(flow["state"] == "choose_method")
        #expect(flow["active"] == "code")
        #expect(flow.fields == ["email", "method"])
        #expect(flow.node("email")?["attributes"]?["type"] == "text")
        #expect(flow.label("email") == .emailOrPhone)
        #expect(flow["organization_id"] == nil)
        let ends = flow["expires_at"]?.text
        #expect(ends == (server.time.now + .seconds(3600)).description)
        #expect(try await server.count("flows") == 0)
    }

    @Test(arguments: [
        ("person1@example.org", MessageID.emailCodeSent, MessageID.emailVerified),
        ("+46701000001", .phoneCodeSent, .phoneVerified),
    ])
    func `Entering the code verifies the address`(_ address: String, _ sentID: MessageID, _ doneID: MessageID)
        async throws
    {
        let server = try await SelfServiceServer { $0.flows.defaultReturnURL = "https://app.example.com/" }
        let token = try await server.register()["session_token"]?.text
        let flow = await server.begin(.verification)
        let sent = try await server.submitCode(.verification, flow, ["email": .string(address)])
        #expect(sent.status == 200)
        #expect(sent["state"] == "sent_email")
        #expect(sent.messages == [sentID])
        #expect(sent.fields == ["method", "code", "method", "email"])
        #expect(sent.value("email")?.text == address)
        let code = JSONValue.string(try await server.code(for: address))
        let done = try await server.submitCode(.verification, flow, ["code": code])
        #expect(done.status == 200)
        #expect(done["state"] == "passed_challenge")
        #expect(done.messages == [doneID])
        #expect(done["ui"]?["method"] == "GET")
        #expect(done["ui"]?["action"] == "https://app.example.com/")
        let link = done["ui"]?["nodes"]?.elements.last
        #expect(link?["type"] == "a")
        #expect(link?["attributes"]?["href"] == "https://app.example.com/")
        #expect(link?["attributes"]?["title"]?.messageID == .proceed)
        let shown = await server.get("/self-service/verification/flows?id=\(flow)")
        #expect(shown.body == done.body)
        let me = await server.get("/sessions/whoami", token: token)
        let verified = me["identity"]?["verifiable_addresses"]?.elements
            .filter { $0["verified"] == .bool(true) }
        #expect(verified?.map { $0["value"]?.text } == [address])
        #expect(verified?.first?["verified_at"]?.text == server.time.now.description)
    }

    @Test func `Unknown addresses get the same responses`() async throws {
        let server = try await SelfServiceServer()
        try await server.register()
        var answers: [JSONValue] = []
        for address in ["person1@example.org", "person2@example.org"] {
            let flow = await server.begin(.verification)
            let sent = try await server.submitCode(.verification, flow, ["email": .string(address)])
            let wrong = try await server.submitCode(.verification, flow, ["code": "000000"])
            #expect(sent.status == 200 && wrong.status == 200)
            answers.append(.array([sent.masked(address), wrong.masked(address)]))
        }
        #expect(answers[1] == answers[0])
        await server.messagesAreSent()
        #expect(server.inbox.messages(for: "person2@example.org").isEmpty)
    }

    @Test func `A code can be guessed five times before the flow is replaced`() async throws {
        let server = try await SelfServiceServer()
        try await server.register()
        let flow = await server.begin(.verification)
        _ = try await server.submitCode(.verification, flow, ["email": "person1@example.org"])
        let code = try await server.code(for: "person1@example.org")
        for _ in 1...5 {
            let answer = try await server.submitCode(
                .verification,
                flow,
                ["code": SelfServiceServer.wrong(code)]
            )
            #expect(answer.status == 200)
            #expect(answer["state"] == "sent_email")
            #expect(answer.messages == [.wrongVerificationCode])
        }
        let answer = try await server.submitCode(.verification, flow, ["code": .string(code)])
        #expect(answer.status == 410)
        #expect(answer.errorID == .flowReplaced)
        #expect(answer["expired_at"] == nil)
        let next = try #require(answer["use_flow_id"]?.text)
        let shown = await server.get("/self-service/verification/flows?id=\(next)")
        #expect(shown.messages == [.verificationDone])
        #expect(shown["state"] == "choose_method")
    }

    @Test func `A completed flow rejects any later submission`() async throws {
        let server = try await SelfServiceServer()
        try await server.register()
        let flow = await server.begin(.verification)
        _ = try await server.submitCode(.verification, flow, ["email": "person1@example.org"])
        let code = JSONValue.string(try await server.code(for: "person1@example.org"))
        _ = try await server.submitCode(.verification, flow, ["code": code])
        for members: [String: JSONValue] in [["code": code], ["email": "person1@example.org"]] {
            let answer = try await server.submitCode(.verification, flow, members)
            #expect(answer.status == 410)
            #expect(answer.errorID == .flowReplaced)
            #expect(answer["use_flow_id"]?.text != nil)
        }
    }

    @Test func `A flow that has expired is replaced with a new one`() async throws {
        let server = try await SelfServiceServer()
        let flow = await server.begin(.verification)
        server.time.advance(by: .seconds(3600))
        let answer = try await server.submitCode(.verification, flow, ["email": "person1@example.org"])
        #expect(answer.status == 303)
        let place = try #require(answer.response.headers["Location"])
        let start = "https://id.example.com/a/self-service/verification/flows?id="
        #expect(place.hasPrefix(start))
        let next = await server.get("/self-service/verification/flows?id=" + place.dropFirst(start.count))
        #expect(next.status == 200)
        #expect(next.messages == [.verificationExpired])
    }

    @Test func `The form requires an address that can receive a code`() async throws {
        let server = try await SelfServiceServer()
        let flow = await server.begin(.verification)
        for (members, field, message): ([String: JSONValue], String, MessageID) in [
            ([:], "email", .missing), (["email": "no-at"], "email", .invalidEmail),
            (["email": "+12"], "email", .invalidPhone),
        ] {
            let answer = try await server.submitCode(.verification, flow, members)
            #expect(answer.status == 400)
            #expect(answer.messages(field) == [message])
        }
        #expect(
            try await server.submit(.verification, flow, .object([:])).messages == [.noVerificationStrategy]
        )
        #expect(try await server.submit(.verification, flow, .object(["method": "password"])).status == 404)
    }

    @Test func `The method can be omitted because there is only one`() async throws {
        let server = try await SelfServiceServer()
        let flow = await server.begin(.verification)
        let answer = try await server.submit(.verification, flow, .object(["email": "a@example.org"]))
        #expect(answer["state"] == "sent_email")
    }

    @Test func `A user who is already logged in can start a verification`() async throws {
        let server = try await SelfServiceServer()
        let token = try #require(try await server.register()["session_token"]?.text)
        #expect(await server.get("/self-service/verification/api", token: token).status == 200)
    }

    @Test func `A verification can't be started or continued if verification is disabled`() async throws {
        let server = try await SelfServiceServer { $0.verification.isEnabled = false }
        #expect(await server.get("/self-service/verification/api").status == 400)
        let earlier = server.flows.begin(.verification, at: server.time.now, random: SystemRandom()).id
        let sent = try await server.submitCode(
            .verification,
            earlier.description,
            ["email": "person1@example.org"]
        )
        #expect(sent.status == 400 && sent["ui"] == nil)
        #expect(try await server.count("messages") == 0)
    }

    @Test func `Submitting a code concurrently verifies the address only once`() async throws {
        let server = try await SelfServiceServer()
        try await server.register()
        let flow = await server.begin(.verification)
        _ = try await server.submitCode(.verification, flow, ["email": "person1@example.org"])
        let code = JSONValue.string(try await server.code(for: "person1@example.org"))
        let answers = try await withThrowingTaskGroup(of: Answer.self) { group in
            for _ in 0..<20 {
                group.addTask { try await server.submitCode(.verification, flow, ["code": code]) }
            }
            return try await group.reduce(into: [Answer]()) { $0.append($1) }
        }
        #expect(answers.filter { $0.status == 200 }.count == 1)
        #expect(answers.filter { $0.status == 410 }.count == 19)
    }
}
