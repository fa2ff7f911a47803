import LatchkeyAccounts
import LatchkeyCourier
import LatchkeyModel
import LatchkeySelfService
import LatchkeyServer
import LatchkeyServerKit
import LatchkeyTestKit
import LatchkeyWire
import TestDatabases
import Testing

/// Text messages through a provider cost money, so strangers can't have them sent to any number.
@Suite(.onEachDatabase) struct `Text messages to unproven numbers` {
    private func server(_ change: (inout ServerConfiguration) -> Void = { _ in }) async throws
        -> SelfServiceServer
    {
        try await SelfServiceServer {
            $0.courier.kind = .http
            $0.courier.url = "https://sms.example"
            $0.flows.lifespan = .seconds(86_400)
            change(&$0)
        }
    }

    /// Requests a sign-up code.
    private func signUp(_ server: SelfServiceServer, _ phone: String, from host: String) async throws
        -> (flow: String, answer: Answer)
    {
        let flow = await server.begin(.registration)
        let body = JSONValue.object([
            "phoneNumber": .string(phone), "phoneType": "PRIMARY", "flowId": .string(flow),
            "flowType": "REGISTRATION",
        ])
        let path = "/identity/verification/flow/phone"
        return (flow, try await server.plain(.post, path, body, from: host))
    }

    /// Requests sign-up codes for new numbers until one is rejected, and returns how many were sent.
    private func burst(_ server: SelfServiceServer, _ prefix: String, from hosts: [String]) async throws
        -> Int
    {
        var sent = 0
        for host in hosts {
            for _ in 0..<30 {
                let phone =
                    prefix
                    + String(
                        Self.numbers.withLock {
                            $0 += 1; return $0
                        }
                    )
                guard try await signUp(server, phone, from: host).answer.status == 201 else { break }
                sent += 1
            }
        }
        return sent
    }

    private static let numbers = Locked(1_000_000)

    /// Proves a number in a registration flow.
    private func prove(_ server: SelfServiceServer, _ phone: String, from host: String) async throws {
        let (flow, answer) = try await signUp(server, phone, from: host)
        try #require(answer.status == 201)
        let body = JSONValue.object([
            "otp": .string(try await server.code(for: phone)), "phoneType": "PRIMARY",
            "flowId": .string(flow), "flowType": "REGISTRATION",
        ])
        let path = "/identity/verification/flow/phone"
        try #require(try await server.plain(.patch, path, body, from: host).status == 200)
    }

    @Test(arguments: ["+88213123456", "+979123456789", "+43900123456", "+4791234567"])
    func `A sign-up with a number that isn't served fails like a rejected delivery`(phone: String)
        async throws
    {
        let server = try await server { $0.courier.callingCodes = ["46"] }
        let answer = try await signUp(server, phone, from: "192.0.2.1").answer
        #expect(answer.status == 502)
        #expect(answer.errorID == .deliveryFailed)
        #expect(try await server.count("messages") == 0)
        #expect(try await signUp(server, "+46701000001", from: "192.0.2.1").answer.status == 201)
    }

    @Test func `A registration with a code fails in the same way`() async throws {
        let server = try await SelfServiceServer(
            schema: "own",
            schemas: ["own": SelfServiceServer.codesByPhone]
        ) {
            $0.courier.kind = .http
            $0.courier.url = "https://sms.example"
            $0.registration.schemas = ["own"]
        }
        for (phone, status) in [("+88213123456", 502), ("+46701000001", 400)] {
            let body = JSONValue.object(["method": "code", "traits": .object(["phone": .string(phone)])])
            let answer = try await server.submit(.registration, await server.begin(.registration), body)
            #expect(answer.status == status)
            #expect((answer["state"] == "sent_email") == (status == 400))
        }
    }

    @Test func `The development courier serves every number`() async throws {
        let server = try await server {
            $0.courier.kind = .development
            $0.courier.callingCodes = ["46"]
        }
        for phone in ["+88213123456", "+43900123456", "+439999999999"] {
            #expect(try await signUp(server, phone, from: "192.0.2.1").answer.status == 201)
        }
    }

    @Test(arguments: [FlowKind.login, .recovery, .verification])
    func `Elsewhere, the response doesn't show whether a number is served`(kind: FlowKind) async throws {
        let server = try await server { $0.courier.callingCodes = ["47"] }
        try await server.register(1)
        for phone in ["+46701000001", "+46701999999"] {
            let flow = await server.begin(kind)
            let answer = try await server.sendCode(kind, flow, to: phone)
            #expect(answer["state"] == "sent_email")
        }
        await server.messagesAreSent()
        #expect(server.inbox.codes(for: "+46701000001").isEmpty)

        // A number that is proven on an account is always served. In this schema, it's no recovery address.
        if kind == .recovery { return }
        try await server.confirmAll()
        server.time.advance(by: .seconds(60))
        let flow = await server.begin(kind)
        #expect(try await server.sendCode(kind, flow, to: "+46701000001")["state"] == "sent_email")
        await server.messagesAreSent()
        #expect(server.inbox.codes(for: "+46701000001").count == 1)
    }

    @Test func `A calling code gets more messages after users there have proven their numbers`() async throws
    {
        let server = try await server()
        let hosts = (1...4).map { "10.\($0).0.1" }
        #expect(try await burst(server, "+467010", from: hosts) == 15)
        // Other calling codes have budgets of their own.
        #expect(try await signUp(server, "+4741234567", from: "10.9.0.1").answer.status == 201)

        await server.messagesAreSent()
        server.time.advance(by: .seconds(3600))
        try await prove(server, "+46702000001", from: "10.1.0.1")
        server.time.advance(by: .seconds(31))
        // The same number doesn't count twice.
        try await prove(server, "+46702000001", from: "10.1.0.1")
        #expect(try await burst(server, "+467010", from: hosts) == 15 + 10 - 2)

        await server.messagesAreSent()
        server.time.advance(by: .seconds(86_400))
        #expect(try await burst(server, "+467010", from: hosts) == 15)
    }

    @Test(arguments: [(["46"], 1), ([], 3)] as [([String], Int64)])
    func `A proof is stored only for the limits that it raises`(callingCodes: [String], rows: Int64)
        async throws
    {
        let server = try await server { $0.courier.callingCodes = callingCodes }
        let phone = "+46702000001"
        let (flow, answer) = try await signUp(server, phone, from: "10.1.0.1")
        #expect(answer.status == 201)
        let code = try await server.code(for: phone)
        let before = try await server.count("limits")
        let body = JSONValue.object([
            "otp": .string(code), "phoneType": "PRIMARY", "flowId": .string(flow),
            "flowType": "REGISTRATION",
        ])
        let path = "/identity/verification/flow/phone"
        #expect(try await server.plain(.patch, path, body, from: "10.1.0.1").status == 200)
        #expect(Int64(try await server.count("limits") - before) == rows)
    }

    @Test func `One block can use half of a calling code's messages`() async throws {
        let server = try await server()
        #expect(try await burst(server, "+467010", from: (1...5).map { "10.1.\($0).1" }) == 7)
        #expect(try await burst(server, "+467010", from: ["10.2.0.1"]) == 7)
        #expect(try await burst(server, "+467010", from: ["2001:db8:1::1"]) == 1)
    }

    @Test func `One block can use a tenth of all messages`() async throws {
        let server = try await server {
            $0.courier.callingCodes = ["46"]
            $0.limits.textMessages = [Rate(200, per: .seconds(3600))]
        }
        #expect(try await burst(server, "+467010", from: (1...5).map { "10.1.\($0).1" }) == 20)
        #expect(try await burst(server, "+467010", from: ["2001:db8:1::1", "2001:db8:2::1"]) == 20)
        #expect(try await burst(server, "+467010", from: ["10.2.0.1"]) == 10)
    }

    @Test func `Half of the messages to unproven numbers are kept for blocks in which numbers were proven`()
        async throws
    {
        let server = try await server {
            $0.courier.callingCodes = ["46"]
            $0.limits.textMessages = [Rate(80, per: .seconds(3600))]
            $0.limits.blockShare = 100
        }
        try await prove(server, "+46702000001", from: "10.1.0.1")
        await server.messagesAreSent()
        server.time.advance(by: .seconds(3600))
        let hosts = (2...9).map { "10.\($0).0.1" }
        #expect(try await burst(server, "+467010", from: hosts) == 20)
        #expect(try await burst(server, "+467010", from: ["10.1.0.2"]) == 20)

        // A month later, the block is as new as any other.
        await server.messagesAreSent()
        server.time.advance(by: .seconds(31 * 86_400))
        #expect(try await burst(server, "+467010", from: hosts) == 20)
        #expect(try await burst(server, "+467010", from: ["10.1.0.2"]) == 0)
    }

    @Test(arguments: [FlowKind.login, .recovery, .verification])
    func `Exhausted budgets for unproven numbers don't reveal an account`(kind: FlowKind) async throws {
        let server = try await server()
        try await server.register(1)
        _ = try await burst(server, "+467010", from: (1...4).map { "10.\($0).0.1" })
        for phone in ["+46701000001", "+46701999999"] {
            let flow = await server.begin(kind)
            let answer = try await server.sendCode(kind, flow, to: phone, from: "10.5.0.1")
            #expect(answer["state"] == "sent_email", "\(phone)")
        }
        await server.messagesAreSent()
        #expect(server.inbox.codes(for: "+46701000001").isEmpty)
    }

    /// Registers a user with a proven number and one with an unproven number, and returns these and an
    /// unknown number.
    private func phones(on server: SelfServiceServer) async throws -> [String] {
        for number in 1...2 { try await server.register(number) }
        try await server.resources.database.transaction { transaction in
            _ = try transaction.execute(
                """
                INSERT INTO address_states (identity_id, via, value, state) \
                SELECT identity_id, via, value, 'proven' FROM addresses \
                WHERE kind = 'verifiable' AND value = '+46701000001'
                """
            )
        }
        return ["+46701000001", "+46701000002", "+46701999999"]
    }

    @Test(arguments: [FlowKind.login, .recovery, .verification], [["47"], []])
    func `Text messages take the same statements for known, unproven and unknown numbers`(
        kind: FlowKind,
        callingCodes: [String]
    ) async throws {
        let server = try await server { $0.courier.callingCodes = callingCodes }
        let phones = try await phones(on: server)
        // The first round creates the rows of the limits, and the second one updates them.
        for _ in 0..<2 {
            var works: [[String]] = []
            for (host, phone) in phones.enumerated() {
                let flow = await server.begin(kind)
                works.append(
                    try await server.database.work {
                        _ = try await server.sendCode(kind, flow, to: phone, from: "10.\(host).0.1")
                    }
                )
            }
            await server.messagesAreSent()
            server.time.advance(by: .seconds(60))
            #expect(Set(works.map(\.count)).count == 1, "\(works)")
        }
    }

    @Test(arguments: [FlowKind.login, .recovery, .verification], [["47"], []])
    func `A network can ask as often for a number that isn't served as for any other`(
        kind: FlowKind,
        callingCodes: [String]
    ) async throws {
        let server = try await server { $0.courier.callingCodes = callingCodes }
        let phones = try await phones(on: server)
        // Without a list, sign-ups use up the messages of the calling code.
        _ = try await burst(server, "+467010", from: (1...4).map { "10.\($0).0.1" })
        var statuses: [[Int]] = []
        for (host, phone) in phones.enumerated() {
            statuses.append([])
            for _ in 0..<6 {
                let flow = await server.begin(kind)
                let answer = try await server.sendCode(kind, flow, to: phone, from: "203.0.113.\(host)")
                statuses[host].append(answer.status)
                let next = await server.begin(kind)
                let again = try await server.sendCode(kind, next, to: phone, from: "203.0.113.\(host)")
                #expect(again.status == 429)
                await server.messagesAreSent()
                server.time.advance(by: .seconds(31))
            }
        }
        #expect(statuses[0].last == 429)
        #expect(Set(statuses).count == 1, "\(statuses)")
        #expect(server.inbox.codes(for: phones[1]).isEmpty)
    }

    @Test func `A sign-up on a known network of the number's account is served like a login`() async throws {
        let server = try await server { $0.courier.callingCodes = ["47"] }
        try await server.register(1)
        #expect(try await signUp(server, "+46701000001", from: "192.0.2.1").answer.status == 502)
        try await server.confirmAll()
        #expect(try await signUp(server, "+46701000001", from: "192.0.2.1").answer.status == 201)
        // Strangers can't find out that the number has an account.
        #expect(try await signUp(server, "+46701000001", from: "10.1.0.1").answer.status == 502)
        #expect(try await signUp(server, "+46701000002", from: "192.0.2.1").answer.status == 502)
    }

    @Test func `Strangers can't use up the messages of users who return by the sign-up form`() async throws {
        let server = try await server()
        try await server.register(1)
        try await server.confirmAll()
        _ = try await burst(server, "+467010", from: (1...4).map { "10.\($0).0.1" })
        #expect(try await signUp(server, "+46701000001", from: "10.5.0.1").answer.status == 429)
        #expect(try await signUp(server, "+46701000001", from: "192.0.2.1").answer.status == 201)
        await server.messagesAreSent()
        server.time.advance(by: .seconds(60))

        // The same applies to the codes and guesses for the number itself.
        for host in 1...12 {
            let host = "198.51.100.\(host)"
            let flow = await server.begin(.login)
            _ = try await server.sendCode(.login, flow, to: "+46701000001", from: host)
            await server.messagesAreSent()
            for _ in 0..<5 {
                _ = try await server.submitCode(.login, flow, ["code": "000000"], from: host)
            }
            server.time.advance(by: .seconds(3600))
        }
        #expect(try await signUp(server, "+46701000001", from: "10.5.0.1").answer.status == 429)
        try await prove(server, "+46701000001", from: "192.0.2.1")
    }

    @Test func `Sign-ups take the same statements for numbers with and without an account`() async throws {
        let server = try await server()
        let phones = try await phones(on: server)
        var counts: [Int] = []
        for (host, phone) in phones.enumerated() {
            let flow = await server.begin(.registration)
            let body = JSONValue.object([
                "phoneNumber": .string(phone), "phoneType": "PRIMARY", "flowId": .string(flow),
                "flowType": "REGISTRATION",
            ])
            let work = try await server.database.work {
                let path = "/identity/verification/flow/phone"
                _ = try await server.plain(.post, path, body, from: "10.\(host).0.1")
            }
            counts.append(work.count)
        }
        #expect(Set(counts).count == 1, "\(counts)")
    }
}
