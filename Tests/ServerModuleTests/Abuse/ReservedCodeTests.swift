import LatchkeyAccounts
import LatchkeyModel
import LatchkeySelfService
import LatchkeyServer
import LatchkeyServerKit
import LatchkeyTestKit
import LatchkeyWire
import TestDatabases
import Testing

/// The tests use an account whose only known network is 192.0.2.1, and an attacker who uses up the account's
/// codes.
@Suite(.onEachDatabase) struct `Codes reserved for known networks` {
    private static let email = "person1@example.org"
    private static let known = "192.0.2.1"
    private static let attacker = "198.51.100.1"

    private func server(
        _ change: (inout ServerConfiguration) -> Void = { _ in }
    ) async throws -> SelfServiceServer {
        let server = try await SelfServiceServer(change)
        try await server.register()
        try await server.confirmAll()
        return server
    }

    /// Requests a code in the given kind of flow.
    ///
    /// Returns the flow, or `nil` if the request was rejected.
    private func ask(
        _ kind: FlowKind,
        _ server: SelfServiceServer,
        _ address: String = email,
        from host: String
    ) async throws -> String? {
        try await server.flow(kind, sendingCodeTo: address, from: host)
    }

    /// Uses up the ten codes and ten guesses that are allowed per day.
    private func exhaust(_ server: SelfServiceServer, _ address: String = email) async throws {
        var guesses = 0
        for _ in 0..<40 {
            if let flow = try await ask(.recovery, server, address, from: Self.attacker) {
                for _ in 0..<2 where guesses < 10 {
                    let answer = try await server.submitCode(
                        .recovery,
                        flow,
                        ["code": "000000"],
                        from: Self.attacker
                    )
                    guesses += answer.status == 429 ? 0 : 1
                }
            }
            server.time.advance(by: .seconds(600))
        }
        #expect(try await ask(.recovery, server, address, from: Self.attacker) == nil)
        #expect(guesses == 10)
    }

    @Test(arguments: [FlowKind.login, .recovery, .verification])
    func `The owner can log in on a known network after an attacker has used up the other codes`(
        kind: FlowKind
    )
        async throws
    {
        let server = try await server()
        try await exhaust(server)
        #expect(try await ask(kind, server, from: "203.0.113.1") == nil)

        let flow = try #require(try await ask(kind, server, from: Self.known))
        let code = try await server.code(for: Self.email)
        let wrong = try await server.submitCode(
            kind,
            flow,
            ["code": SelfServiceServer.wrong(code)],
            from: Self.known
        )
        #expect(wrong.status != 429)
        // On other networks, even the correct code is rejected.
        let elsewhere = try await server.submitCode(
            kind,
            flow,
            ["code": .string(code)],
            from: "203.0.113.1"
        )
        #expect(elsewhere.status == 429)
        let right = try await server.submitCode(kind, flow, ["code": .string(code)], from: Self.known)
        #expect(right.status == 200)
    }

    @Test func `A known network gets three codes and five wrong guesses a day`() async throws {
        let server = try await server()
        try await exhaust(server)
        var sent = 0
        var judged = 0
        for _ in 0..<6 {
            if let flow = try await ask(.recovery, server, from: Self.known) {
                sent += 1
                for _ in 0..<3 {
                    let answer = try await server.submitCode(
                        .recovery,
                        flow,
                        ["code": "000000"],
                        from: Self.known
                    )
                    judged += answer.status == 429 ? 0 : 1
                }
            }
            server.time.advance(by: .seconds(60))
        }
        #expect(sent == 3)
        #expect(judged == 5)
    }

    @Test func `A reserved code makes other networks wait silently again`() async throws {
        let server = try await server()
        #expect(try await ask(.recovery, server, from: Self.attacker) != nil)
        server.time.advance(by: .seconds(15))
        #expect(try await ask(.recovery, server, from: Self.known) != nil)
        server.time.advance(by: .seconds(16))
        #expect(try await ask(.recovery, server, from: "203.0.113.1") != nil)
        await server.messagesAreSent()
        #expect(server.inbox.codes(for: Self.email).count == 2)
    }

    @Test func `A reserved code counts as a text message`() async throws {
        let phone = "+46701000001"
        // Half of the messages are for proven numbers.
        let server = try await server { $0.limits.textMessages = [Rate(4, per: .seconds(86_400))] }
        #expect(try await ask(.login, server, phone, from: Self.attacker) != nil)
        server.time.advance(by: .seconds(15))
        #expect(try await ask(.login, server, phone, from: Self.known) != nil)
        await server.messagesAreSent()
        server.time.advance(by: .seconds(60))
        #expect(try await ask(.login, server, phone, from: Self.known) == nil)
        #expect(server.inbox.codes(for: phone).count == 2)
    }

    @Test(arguments: ["claimed", "released"])
    func `The networks of an account that hasn't proven an address have no reserve for sign-ups`(
        state: String
    ) async throws {
        let server = try await SelfServiceServer()
        try await server.register()
        if state == "released" {
            try await server.confirmAll()
            try await server.resources.database.transaction { transaction in
                _ = try transaction.execute("UPDATE address_states SET state = 'released'")
            }
        }
        func signUp(from host: String) async throws -> Int {
            let flow = await server.begin(.registration)
            let body: [String: JSONValue] = ["traits": SelfServiceServer.traits()]
            return try await server.submitCode(.registration, flow, body, from: host).status
        }
        let usual = try await signUp(from: Self.attacker)
        await server.messagesAreSent()
        server.time.advance(by: .seconds(15))
        #expect(try await signUp(from: Self.known) == usual)
        await server.messagesAreSent()
        #expect(server.inbox.codes(for: Self.email).count == 1)
    }

    @Test func `Wrong codes of sign-ups don't count as accounts that were guessed at`() async throws {
        let server = try await server { $0.limits.accountsPerAddress = [Rate(1, per: .seconds(3600))] }
        for number in 5...7 {
            let flow = await server.begin(.registration)
            let traits: [String: JSONValue] = ["traits": SelfServiceServer.traits(number)]
            _ = try await server.submitCode(.registration, flow, traits, from: Self.attacker)
            let code = try await server.code(for: "person\(number)@example.org")
            let guess = traits.merging(["code": SelfServiceServer.wrong(code)]) { own, _ in own }
            let answer = try await server.submitCode(.registration, flow, guess, from: Self.attacker)
            #expect(answer.status == 400)
        }
        #expect(try await server.login(from: Self.attacker).status == 200)
    }

    @Test func `A stranger who keeps asking can't keep the owner on a known network without a code`()
        async throws
    {
        let server = try await server()
        for round in 1...3 {
            #expect(try await ask(.recovery, server, from: Self.attacker) != nil)
            server.time.advance(by: .seconds(15))
            let flow = try #require(try await ask(.recovery, server, from: Self.known))
            #expect(server.inbox.codes(for: Self.email).count == 2 * round)
            if round == 3 {
                let code = JSONValue.string(try await server.code(for: Self.email))
                let answer = try await server.submitCode(.recovery, flow, ["code": code], from: Self.known)
                #expect(answer.status == 200)
            }
            server.time.advance(by: .seconds(31))
        }
    }

    @Test func `After three reserved codes, the wait is silent on known networks, too`() async throws {
        let server = try await server()
        for day in 0..<2 {
            for _ in 0..<3 {
                #expect(try await ask(.recovery, server, from: Self.attacker) != nil)
                #expect(try await ask(.recovery, server, from: Self.known) != nil)
                server.time.advance(by: .seconds(3600))
            }
            #expect(server.inbox.codes(for: Self.email).count == day * 7 + 6)
            #expect(try await ask(.recovery, server, from: Self.attacker) != nil)
            #expect(try await ask(.recovery, server, from: Self.known) != nil)
            #expect(server.inbox.codes(for: Self.email).count == day * 7 + 7)
            server.time.advance(by: .seconds(86_400))
        }
    }

    @Test func `The owner can request a code even if strangers on the same network have used up the limit`()
        async throws
    {
        let server = try await server()
        for number in 0..<30 {
            let address = "invented\(number)@example.org"
            #expect(try await ask(.verification, server, address, from: Self.known) != nil)
        }
        #expect(try await ask(.verification, server, "invented@example.org", from: Self.known) == nil)
        #expect(try await ask(.recovery, server, from: Self.known) != nil)
    }

    @Test func `Other networks can't find out whether the account exists`() async throws {
        let server = try await server()
        var answers: [[Int]] = []
        for address in [Self.email, "unknown@example.org"] {
            var statuses: [Int] = []
            for round in 0..<30 {
                let flow = try await ask(.recovery, server, address, from: "198.51.100.\(round % 4)")
                statuses.append(flow == nil ? 429 : 200)
                if let flow {
                    let answer = try await server.submitCode(
                        .recovery,
                        flow,
                        ["code": "000000"],
                        from: "198.51.100.\(round % 4)"
                    )
                    statuses.append(answer.status)
                }
                server.time.advance(by: .seconds(300))
            }
            answers.append(statuses)
            try await server.forgetLimits()
        }
        #expect(answers[0] == answers[1])
        #expect(answers[0].contains(429))
    }

    @Test func `A network that guesses the codes of ten accounts within an hour is blocked`() async throws {
        let server = try await server()
        for number in 2...12 { try await server.register(number) }
        try await server.forgetKnownNetworks()
        var statuses: [Int] = []
        for number in 1...12 {
            let address = "person\(number)@example.org"
            let flow = try #require(try await ask(.recovery, server, address, from: Self.attacker))
            let answer = try await server.submitCode(
                .recovery,
                flow,
                ["code": "000000"],
                from: Self.attacker
            )
            statuses.append(answer.status)
        }
        #expect(statuses.prefix(10).allSatisfy { $0 != 429 })
        #expect(statuses.suffix(2) == [429, 429])
    }
}
