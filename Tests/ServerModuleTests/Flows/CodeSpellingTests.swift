import LatchkeyAccounts
import LatchkeyModel
import LatchkeySelfService
import LatchkeyServer
import LatchkeyWire
import TestDatabases
import TestSpellings
import Testing

@Suite(.onEachDatabase) struct `Spellings of codes` {
    private static let address = "person1@example.org"

    /// Submits a code as JSON or as a form.
    private func submit(
        _ code: String,
        to flow: String,
        _ kind: FlowKind,
        asForm: Bool,
        on server: SelfServiceServer
    )
        async throws -> Answer
    {
        guard asForm else { return try await server.submitCode(kind, flow, ["code": .string(code)]) }
        let fields = [("method", "code"), ("code", code)]
        var request = HTTP.Request(form: fields, to: "/a/self-service/\(kind.rawValue)")
        request.query = "flow=\(flow)"
        return await server.send(request)
    }

    @Test(arguments: [FlowKind.login, .recovery, .verification], [false, true])
    func `A code is accepted in every spelling, and other text doesn't cost a guess`(
        _ kind: FlowKind,
        asForm: Bool
    ) async throws {
        let server = try await SelfServiceServer { $0.limits = .unlimited }
        try await server.register()
        for spelling in TypedSpellings.codes {
            let flow = await server.begin(kind)
            _ = try await server.sendCode(kind, flow, to: Self.address)
            var code = try await server.code(for: Self.address)
            if spelling.isCode {
                code = spelling.spell(code)
            } else {
                for _ in 1...6 {
                    let text = spelling.spell(code)
                    let refused = try await submit(text, to: flow, kind, asForm: asForm, on: server)
                    #expect(refused.messages == [UIMessage.wrongCode(kind).id], "\(spelling)")
                }
            }
            let answer = try await submit(code, to: flow, kind, asForm: asForm, on: server)
            #expect(answer.status == 200, "\(spelling)")
            if kind == .login {
                #expect(answer.sessionToken != nil, "\(spelling)")
            } else {
                #expect(answer["state"] == "passed_challenge", "\(spelling)")
            }
        }
        #expect(server.reported.withLock { $0 } == [])
    }

    @Test func `A phone number is verified with its code in every spelling`() async throws {
        let server = try await SelfServiceServer { $0.limits = .unlimited }
        let phone = "+439999999999"
        func send(_ method: HTTP.Method, _ members: [String: JSONValue], in flow: String) async throws
            -> Answer
        {
            let all: [String: JSONValue] = [
                "phoneType": "PRIMARY", "flowType": "REGISTRATION", "flowId": .string(flow),
            ]
            let body = JSONValue.object(members.merging(all) { own, _ in own })
            return try await server.plain(method, Route.phoneVerification, body, from: "192.0.2.1")
        }
        for spelling in TypedSpellings.codes {
            let flow = await server.begin(.registration)
            #expect(try await send(.post, ["phoneNumber": .string(phone)], in: flow).status == 201)
            let code = try await server.code(for: phone)
            for _ in 1...(spelling.isCode ? 1 : 6) {
                let answer = try await send(.patch, ["otp": .string(spelling.spell(code))], in: flow)
                #expect(answer.status == (spelling.isCode ? 200 : 400), "\(spelling)")
                #expect(answer.errorID == (spelling.isCode ? nil : .codeInvalid), "\(spelling)")
            }
            if !spelling.isCode {
                #expect(try await send(.patch, ["otp": .string(code)], in: flow).status == 200, "\(spelling)")
            }
        }
    }

    @Test func `Text that can't be a code gets the answer to the state of the code`() async throws {
        let server = try await SelfServiceServer { $0.limits = .unlimited }
        try await server.register()
        let flow = await server.begin(.login)
        _ = try await server.sendCode(.login, flow, to: Self.address)
        let code = try await server.code(for: Self.address)
        for _ in 1...5 {
            let wrong = try await server.submitCode(.login, flow, ["code": SelfServiceServer.wrong(code)])
            #expect(wrong.messages == [.wrongLoginCode])
        }
        for text in [code, "no", "no"] {
            let answer = try await server.submitCode(.login, flow, ["code": .string(text)])
            #expect(answer.status == 400)
            #expect(answer.messages == [.validation])
        }
    }

    @Test func `Text that can't be a code gets the same answer with and without an account`() async throws {
        let server = try await SelfServiceServer { $0.limits = .unlimited }
        try await server.register()
        for kind in [FlowKind.login, .recovery, .verification] {
            var answers: [[MessageID]] = []
            for address in [Self.address, "unknown@example.org"] {
                let flow = await server.begin(kind)
                _ = try await server.sendCode(kind, flow, to: address)
                let answer = try await server.submitCode(kind, flow, ["code": "no"])
                answers.append(answer.messages)
                #expect(answer.status == (kind == .login ? 400 : 200))
            }
            #expect(answers.first == answers.last)
        }
    }

    @Test func `The right code for another identifier is a guess`() async throws {
        let server = try await SelfServiceServer { $0.limits = .unlimited }
        try await server.register()
        let flow = await server.begin(.login)
        _ = try await server.sendCode(.login, flow, to: Self.address)
        let code = JSONValue.string(try await server.code(for: Self.address))
        for _ in 1...5 {
            let members: [String: JSONValue] = ["identifier": "+46701000001", "code": code]
            #expect(try await server.submitCode(.login, flow, members).messages == [.wrongLoginCode])
        }
        #expect(try await server.submitCode(.login, flow, ["code": code]).messages == [.validation])
    }

    @Test func `A network can only store a limited number of forms with text that can't be a code`()
        async throws
    {
        let server = try await SelfServiceServer { $0.limits.formsPerAddress = [Rate(10, per: .seconds(60))] }
        try await server.register()
        let flow = await server.begin(.recovery)
        _ = try await server.sendCode(.recovery, flow, to: Self.address)
        var statuses: [Int] = []
        for _ in 1...20 {
            statuses.append(try await server.submitCode(.recovery, flow, ["code": "no"]).status)
        }
        #expect(Set(statuses) == [200, 429])
        #expect(statuses.last == 429)
    }
}
