import LatchkeyAccounts
import LatchkeyModel
import LatchkeySelfService
import LatchkeyServer
import LatchkeyTestKit
import LatchkeyWire
import TestDatabases
import Testing

@Suite(.onEachDatabase) struct `Login code` {
    @Test func `is rejected for an identifier other than the one to which it was sent`() async throws {
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

    @Test func `is rejected in another flow`() async throws {
        let server = try await SelfServiceServer { $0.limits = .unlimited }
        try await server.register()
        let (first, second) = (await server.begin(.login), await server.begin(.login))
        _ = try await server.submitCode(.login, first, ["identifier": "person1@example.org"])
        let code = JSONValue.string(try await server.code(for: "person1@example.org"))
        _ = try await server.submitCode(.login, second, ["identifier": "person1@example.org"])
        #expect(try await server.submitCode(.login, second, ["code": code]).messages == [.wrongLoginCode])
        #expect(try await server.submitCode(.login, first, ["code": code]).status == 200)
    }

    @Test func `is rejected after its expiry`() async throws {
        let server = try await SelfServiceServer { $0.flows.lifespan = .seconds(3600) }
        try await server.register()
        let flow = await server.begin(.login)
        _ = try await server.submitCode(.login, flow, ["identifier": "person1@example.org"])
        let code = JSONValue.string(try await server.code(for: "person1@example.org"))
        server.time.advance(by: .seconds(600))
        #expect(try await server.submitCode(.login, flow, ["code": code]).messages == [.wrongLoginCode])
    }

    @Test func `accepts five guesses per flow, regardless of the number of codes sent`() async throws {
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
    }

    @Test func `is rejected after another code was sent`() async throws {
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

    @Test func `is sent once in thirty seconds`() async throws {
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

    @Test func `opens one session when it is submitted twenty times at once`() async throws {
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
        // One of the sessions belongs to the registration.
        #expect(try await server.count("sessions") == 2)
    }

    @Test func `accepts five of forty concurrent guesses`() async throws {
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
