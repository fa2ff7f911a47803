import LatchkeyModel
import LatchkeySelfService
import LatchkeyServer
import LatchkeyServerKit
import LatchkeyTestKit
import LatchkeyWire
import TestDatabases
import Testing

/// The thirty seconds between two codes for one address must not show a stranger that another user has
/// requested a code.
@Suite(.onEachDatabase) struct `Silent waits between two codes` {
    private static let owner = "198.51.100.1"
    private static let stranger = "203.0.113.1"

    /// A way to have a code sent.
    enum Way: CaseIterable {
        case loginByMail, loginByText, recovery, verification, registration, phoneVerification

        var kind: FlowKind {
            switch self {
            case .loginByMail, .loginByText: .login
            case .recovery: .recovery
            case .verification: .verification
            case .registration, .phoneVerification: .registration
            }
        }

        /// Whether the code is for an account that exists.
        var isForAccount: Bool { kind != .registration }

        func address(_ number: Int) -> String {
            switch self {
            case .loginByText: "+4670" + String(1_000_000 + number)
            case .phoneVerification: "+4673" + String(1_000_000 + number)
            default: "person\(number)@example.org"
            }
        }
    }

    private func server(_ way: Way) async throws -> SelfServiceServer {
        let server = try await SelfServiceServer { $0.flows.lifespan = .seconds(3600) }
        if way.isForAccount {
            for number in 1...2 { try await server.register(number) }
            try await server.confirmAll()
        }
        return server
    }

    /// Requests a code in a new flow, or again in an existing one.
    private func ask(
        _ way: Way,
        _ number: Int = 1,
        in flow: String? = nil,
        on server: SelfServiceServer,
        from host: String
    ) async throws -> (flow: String, answer: Answer) {
        let id: String
        if let flow { id = flow } else { id = await server.begin(way.kind) }
        let address = way.address(number)
        switch way {
        case .phoneVerification:
            let body = JSONValue.object([
                "phoneNumber": .string(address), "phoneType": "PRIMARY", "flowId": .string(id),
                "flowType": "REGISTRATION",
            ])
            let path = "/identity/verification/flow/phone"
            return (id, try await server.plain(.post, path, body, from: host))
        case .registration:
            let body = JSONValue.object([
                "method": "code", "traits": SelfServiceServer.traits(number),
            ])
            return (id, try await server.submit(.registration, id, body, from: host))
        default:
            return (id, try await server.sendCode(way.kind, id, to: address, from: host))
        }
    }

    /// Submits a code.
    private func enter(
        _ code: String,
        _ way: Way,
        _ number: Int = 1,
        in flow: String,
        on server: SelfServiceServer,
        from host: String
    ) async throws -> Answer {
        switch way {
        case .phoneVerification:
            let body = JSONValue.object([
                "otp": .string(code), "phoneType": "PRIMARY", "flowId": .string(flow),
                "flowType": "REGISTRATION",
            ])
            let path = "/identity/verification/flow/phone"
            return try await server.plain(.patch, path, body, from: host)
        case .registration:
            let body = JSONValue.object([
                "method": "code", "code": .string(code),
                "traits": SelfServiceServer.traits(number),
            ])
            return try await server.submit(.registration, flow, body, from: host)
        default:
            return try await server.submitCode(way.kind, flow, ["code": .string(code)], from: host)
        }
    }

    @Test(arguments: Way.allCases)
    func `Only the network that requested the code is told to wait`(_ way: Way) async throws {
        let server = try await server(way)
        let usual = try await ask(way, 2, on: server, from: Self.owner).answer
        #expect(try await ask(way, on: server, from: Self.owner).answer.status == usual.status)
        await server.messagesAreSent()
        server.time.advance(by: .seconds(5))

        let again = try await ask(way, on: server, from: Self.owner).answer
        #expect(again.status == 429)
        #expect(again.response.headers["Retry-After"] == "25")

        let silent = try await ask(way, on: server, from: Self.stranger).answer
        #expect(silent.status == usual.status)
        #expect(silent.shape == usual.shape)
        await server.messagesAreSent()
        #expect(server.inbox.codes(for: way.address(1)).count == 1)

        // From now on, the stranger is treated as if its code had been sent.
        server.time.advance(by: .seconds(10))
        let second = try await ask(way, on: server, from: Self.stranger).answer
        #expect(second.status == 429)
        #expect(second.response.headers["Retry-After"] == "20")
        server.time.advance(by: .seconds(20))
        #expect(try await ask(way, on: server, from: Self.stranger).answer.status == usual.status)
        await server.messagesAreSent()
        #expect(server.inbox.codes(for: way.address(1)).count == 2)
    }

    @Test func `Only the network of a client that shares a prefix with others is told to wait`() async throws
    {
        let server = try await server(.loginByMail)
        _ = try await ask(.loginByMail, on: server, from: "2001:db8:1:1::1")
        await server.messagesAreSent()
        server.time.advance(by: .seconds(5))
        let neighbor = try await ask(.loginByMail, on: server, from: "2001:db8:1:2::1").answer
        #expect(neighbor.status != 429)
        let own = try await ask(.loginByMail, on: server, from: "2001:db8:1:1::2").answer
        #expect(own.status == 429)
    }

    @Test func `A request without a message takes as long as one whose message is sent`() async throws {
        let server = try await server(.loginByText)
        // The first attempt to send this message isn't waited for, so the usual time is imitated.
        _ = try await ask(.loginByText, on: server, from: Self.owner)
        let flow = await server.begin(.registration)
        let body = JSONValue.object([
            "phoneNumber": .string(Way.loginByText.address(1)), "phoneType": "PRIMARY",
            "flowId": .string(flow), "flowType": "REGISTRATION",
        ])
        let start = server.time.uptime
        let isAnswered = Locked(false)
        async let end = {
            defer { isAnswered.withLock { $0 = true } }
            let path = "/identity/verification/flow/phone"
            let answer = try await server.plain(.post, path, body, from: Self.stranger)
            #expect(answer.status == 201)
            return server.time.uptime
        }()
        while !isAnswered.withLock({ $0 }) {
            for _ in 1...100 { await Task.yield() }
            server.time.advance(by: .milliseconds(10))
        }
        let waited = try await end - start
        #expect(waited >= .milliseconds(200))
    }

    @Test func `A code that was used stays used when another one is withheld`() async throws {
        let server = try await server(.phoneVerification)
        let flow = try await ask(.phoneVerification, on: server, from: Self.owner).flow
        let code = try await server.code(for: Way.phoneVerification.address(1))
        let entered = try await enter(code, .phoneVerification, in: flow, on: server, from: Self.owner)
        #expect(entered.status == 200)
        server.time.advance(by: .seconds(31))
        _ = try await ask(.phoneVerification, on: server, from: Self.stranger)
        await server.messagesAreSent()
        server.time.advance(by: .seconds(5))
        let again = try await ask(.phoneVerification, in: flow, on: server, from: Self.owner).answer
        #expect(again.status != 429)
        let repeated = try await enter(code, .phoneVerification, in: flow, on: server, from: Self.owner)
        #expect(repeated.status != 200, "\(repeated.body)")
    }

    @Test(arguments: Way.allCases)
    func `A request without a message takes the same statements as one with a message`(_ way: Way)
        async throws
    {
        let server = try await server(way)
        _ = try await ask(way, on: server, from: Self.owner)
        await server.messagesAreSent()
        server.time.advance(by: .seconds(5))
        var works: [[String]] = []
        for number in 1...2 {
            let flow = await server.begin(way.kind)
            works.append(
                try await server.database.work {
                    _ = try await ask(way, number, in: flow, on: server, from: "203.0.113.\(number)")
                }
            )
        }
        // The first of the two is silent.
        #expect(works[0].count == works[1].count, "\(works[0]) \(works[1])")
        await server.messagesAreSent()
        #expect(server.inbox.codes(for: way.address(1)).count == 1)
        #expect(server.inbox.codes(for: way.address(2)).count == 1)
    }

    @Test(arguments: Way.allCases)
    func `Guesses at the decoy are charged and answered like any other`(_ way: Way) async throws {
        let server = try await server(way)
        _ = try await ask(way, on: server, from: Self.owner)
        let code = try await server.code(for: way.address(1))
        let silent = try await ask(way, on: server, from: Self.stranger)
        let usual = try await ask(way, 2, on: server, from: Self.stranger)
        // Even the owner's code is wrong in the stranger's flow.
        for _ in 0..<5 {
            let wrong = try await enter(code, way, in: silent.flow, on: server, from: Self.stranger)
            let other = try await enter("000000", way, 2, in: usual.flow, on: server, from: Self.stranger)
            #expect(wrong.status == other.status)
            #expect(wrong.shape == other.shape)
        }
        let last = try await enter(code, way, in: silent.flow, on: server, from: Self.stranger)
        let other = try await enter("000000", way, 2, in: usual.flow, on: server, from: Self.stranger)
        #expect(last.status == other.status)
        #expect(last.shape == other.shape)
    }

    @Test(arguments: Way.allCases)
    func `A stranger's code doesn't invalidate the code that the owner already has`(_ way: Way) async throws {
        let server = try await server(way)
        let flow = try await ask(way, on: server, from: Self.owner).flow
        let code = try await server.code(for: way.address(1))
        server.time.advance(by: .seconds(31))
        _ = try await ask(way, on: server, from: Self.stranger)
        await server.messagesAreSent()
        server.time.advance(by: .seconds(5))
        // The owner asks again in vain, but the first code still works.
        let again = try await ask(way, in: flow, on: server, from: Self.owner).answer
        #expect(again.status != 429)
        await server.messagesAreSent()
        #expect(server.inbox.codes(for: way.address(1)).count == 2)
        let entered = try await enter(code, way, in: flow, on: server, from: Self.owner)
        #expect(entered.status == 200, "\(entered.body)")
    }

    @Test func `A code that was kept expires when it would have expired anyway`() async throws {
        let server = try await server(.recovery)
        let flow = try await ask(.recovery, on: server, from: Self.owner).flow
        let code = try await server.code(for: Way.recovery.address(1))
        server.time.advance(by: .seconds(595))
        _ = try await ask(.recovery, on: server, from: Self.stranger)
        await server.messagesAreSent()
        #expect(try await ask(.recovery, in: flow, on: server, from: Self.owner).answer.status == 200)
        server.time.advance(by: .seconds(5))
        let late = try await enter(code, .recovery, in: flow, on: server, from: Self.owner)
        #expect(late.status == 200)
        #expect(late["state"] == "sent_email")
    }

    @Test func `Longer waits are announced to every network`() async throws {
        let server = try await server(.recovery)
        for _ in 0..<5 {
            #expect(try await ask(.recovery, on: server, from: Self.owner).answer.status == 200)
            await server.messagesAreSent()
            server.time.advance(by: .seconds(40))
        }
        #expect(try await ask(.recovery, on: server, from: Self.stranger).answer.status == 429)
    }

    @Test func `Requests without a message don't use up the address's codes`() async throws {
        let server = try await server(.recovery)
        for round in 0..<4 {
            _ = try await ask(.recovery, on: server, from: Self.owner)
            for host in 1...5 {
                let host = "203.0.113.\(round * 5 + host)"
                let answer = try await ask(.recovery, on: server, from: host).answer
                #expect(answer.status == 200)
            }
            await server.messagesAreSent()
            server.time.advance(by: .seconds(40))
        }
        #expect(try await ask(.recovery, on: server, from: Self.owner).answer.status == 200)
        await server.messagesAreSent()
        #expect(server.inbox.codes(for: Way.recovery.address(1)).count == 5)
    }
}

extension Answer {
    /// The body without ids, times and addresses, which differ between two flows in any case.
    fileprivate var shape: [String] {
        func lines(_ value: JSONValue, at path: String) -> [String] {
            switch value {
            case .object(let members):
                members.sorted { $0.key < $1.key }.flatMap { lines($0.value, at: path + "." + $0.key) }
            case .array(let elements): elements.flatMap { lines($0, at: path + "[]") }
            case .string(let text):
                [path + ": " + (text.contains { $0.isNumber || $0 == "@" } ? "…" : text)]
            default: [path]
            }
        }
        return lines(body, at: "")
    }
}
