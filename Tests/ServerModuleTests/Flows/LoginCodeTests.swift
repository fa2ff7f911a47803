import LatchkeyAccounts
import LatchkeyModel
import LatchkeySelfService
import LatchkeyServer
import LatchkeyTestKit
import LatchkeyWire
import TestDatabases
import Testing

@Suite(.onEachDatabase) struct `Login codes` {
    @Test func `A code is rejected for any identifier other than the one it was sent to`() async throws {
        let server = try await SelfServiceServer()
        try await server.register()
        let flow = await server.begin(.login)
        _ = try await server.submitCode(.login, flow, ["identifier": "person1@example.org"])
        let code = JSONValue.string(try await server.code(for: "person1@example.org"))
        let answer = try await server.submitCode(
            .login,
            flow,
            ["identifier": "+46701000001", "code": code]
        )
        #expect(answer.messages == [.wrongLoginCode])
    }

    @Test func `A code is rejected in a different flow`() async throws {
        let server = try await SelfServiceServer { $0.limits = .unlimited }
        try await server.register()
        let (first, second) = (await server.begin(.login), await server.begin(.login))
        _ = try await server.submitCode(.login, first, ["identifier": "person1@example.org"])
        let code = JSONValue.string(try await server.code(for: "person1@example.org"))
        _ = try await server.submitCode(.login, second, ["identifier": "person1@example.org"])
        #expect(try await server.submitCode(.login, second, ["code": code]).messages == [.wrongLoginCode])
        #expect(try await server.submitCode(.login, first, ["code": code]).status == 200)
    }

    @Test func `A code is rejected once it has expired`() async throws {
        let server = try await SelfServiceServer { $0.flows.lifespan = .seconds(3600) }
        try await server.register()
        let flow = await server.begin(.login)
        _ = try await server.submitCode(.login, flow, ["identifier": "person1@example.org"])
        let code = JSONValue.string(try await server.code(for: "person1@example.org"))
        server.time.advance(by: .seconds(600))
        #expect(try await server.submitCode(.login, flow, ["code": code]).messages == [.wrongLoginCode])
    }

    @Test func `A flow accepts five guesses no matter how many codes were sent`() async throws {
        let server = try await SelfServiceServer()
        try await server.register()
        let flow = await server.begin(.login)
        _ = try await server.submitCode(.login, flow, ["identifier": "person1@example.org"])
        let wrong = SelfServiceServer.wrong(try await server.code(for: "person1@example.org"))
        for _ in 1...3 {
            #expect(try await server.submitCode(.login, flow, ["code": wrong]).messages == [.wrongLoginCode])
        }
        server.time.advance(by: .seconds(30))
        let resent = try await server.submitCode(.login, flow, ["resend": "code"])
        #expect(resent.messages == [.loginCodeSent])
        let code = try await server.code(for: "person1@example.org")
        for _ in 4...5 {
            let answer = try await server.submitCode(.login, flow, ["code": SelfServiceServer.wrong(code)])
            #expect(answer.messages == [.wrongLoginCode])
        }
        let answer = try await server.submitCode(.login, flow, ["code": .string(code)])
        #expect(answer.status == 400)
        #expect(answer.messages == [.validation])
        // Another code couldn't be entered, so none is sent.
        server.time.advance(by: .seconds(30))
        let sent = server.inbox.codes(for: "person1@example.org").count
        #expect(try await server.submitCode(.login, flow, ["resend": "code"]).messages == [.validation])
        await server.messagesAreSent()
        #expect(server.inbox.codes(for: "person1@example.org").count == sent)
    }

    @Test func `A code is rejected once another code has been sent`() async throws {
        let server = try await SelfServiceServer()
        try await server.register()
        let flow = await server.begin(.login)
        _ = try await server.submitCode(.login, flow, ["identifier": "person1@example.org"])
        let old = try await server.code(for: "person1@example.org")
        server.time.advance(by: .seconds(30))
        _ = try await server.submitCode(
            .login,
            flow,
            ["resend": "code", "identifier": "person1@example.org"]
        )
        let new = try await server.code(for: "person1@example.org")
        if old != new {
            #expect(
                try await server.submitCode(.login, flow, ["code": .string(old)]).messages == [
                    .wrongLoginCode
                ]
            )
        }
        #expect(try await server.submitCode(.login, flow, ["code": .string(new)]).status == 200)
    }

    @Test func `A code is sent at most once every thirty seconds`() async throws {
        let server = try await SelfServiceServer()
        try await server.register()
        for identifier in ["person1@example.org", "person2@example.org"] {
            let flow = await server.begin(.login)
            _ = try await server.submitCode(.login, flow, ["identifier": .string(identifier)])
            let answer = try await server.submitCode(.login, flow, ["resend": "code"])
            #expect(answer.status == 429)
            #expect(answer.errorID == .tooManyRequests)
            #expect(answer.response.headers["Retry-After"] == "30")
        }
    }

    @Test func `Submitting a code many times at once creates only one session`() async throws {
        let server = try await SelfServiceServer()
        try await server.register()
        let flow = await server.begin(.login)
        _ = try await server.submitCode(.login, flow, ["identifier": "person1@example.org"])
        let code = JSONValue.string(try await server.code(for: "person1@example.org"))
        let answers = try await withThrowingTaskGroup(of: Answer.self) { group in
            for _ in 0..<20 {
                group.addTask { try await server.submitCode(.login, flow, ["code": code]) }
            }
            return try await group.reduce(into: [Answer]()) { $0.append($1) }
        }
        #expect(answers.filter { $0.status == 200 }.count == 1)
        #expect(answers.allSatisfy { [200, 400, 410].contains($0.status) })
        // The other session was created by the registration.
        #expect(try await server.count("sessions") == 2)
    }

    @Test func `Only five of forty concurrent guesses are checked`() async throws {
        let server = try await SelfServiceServer()
        try await server.register()
        let flow = await server.begin(.login)
        _ = try await server.submitCode(.login, flow, ["identifier": "person1@example.org"])
        let wrong = SelfServiceServer.wrong(try await server.code(for: "person1@example.org"))
        let answers = try await withThrowingTaskGroup(of: Answer.self) { group in
            for _ in 0..<40 {
                group.addTask { try await server.submitCode(.login, flow, ["code": wrong]) }
            }
            return try await group.reduce(into: [Answer]()) { $0.append($1) }
        }
        #expect(answers.filter { $0.messages == [.wrongLoginCode] }.count == 5)
        #expect(answers.filter { $0.messages == [.validation] }.count == 35)
    }
}
