import LatchkeyAccounts
import LatchkeyModel
import LatchkeySelfService
import LatchkeyServer
import LatchkeyServerKit
import LatchkeyTestKit
import LatchkeyWire
import TestDatabases
import Testing

/// Tests with an account whose only known network is 192.0.2.1, from which it was registered.
@Suite(.onEachDatabase) struct `Password limits` {
    private static let email = "person1@example.org"
    private static let phone = "+46701000001"
    private static let known = "192.0.2.1"

    private func registered(_ change: (inout ServerConfiguration) -> Void = { _ in }) async throws
        -> SelfServiceServer
    {
        let server = try await SelfServiceServer(change)
        try await server.register()
        return server
    }

    /// Enters wrong passwords and returns the statuses.
    private func fail(
        _ times: Int,
        on server: SelfServiceServer,
        _ identifier: String = email,
        from host: String
    ) async throws -> [Int] {
        var statuses: [Int] = []
        for number in 0..<times {
            statuses.append(try await server.login(identifier, "wrong-\(number)", from: host).status)
        }
        return statuses
    }

    @Test func `give each network its own budget for an account`() async throws {
        let server = try await registered()
        #expect(
            try await fail(6, on: server, from: "198.51.100.1") == [400, 400, 400, 400, 400, 429]
        )
        #expect(try await server.login(from: "198.51.100.1").status == 429)
        #expect(try await server.login(from: "203.0.113.1").status == 200)
    }

    @Test func `count all identifiers of an account together`() async throws {
        let server = try await registered()
        _ = try await fail(3, on: server, Self.email, from: "198.51.100.1")
        _ = try await fail(2, on: server, Self.phone, from: "198.51.100.1")
        #expect(try await server.login(Self.email, from: "198.51.100.1").status == 429)
        #expect(try await server.login(Self.phone, from: "198.51.100.1").status == 429)
    }

    /// An event between the verification of a correct password and the login.
    enum Incident: CaseIterable {
        case databaseFailure, endOfFlow, newPassword
    }

    @Test(arguments: Incident.allCases)
    func `do not count a correct password whose login did not succeed`(_ incident: Incident) async throws {
        let server = try await registered()
        try await server.forgetKnownNetworks()
        let before = try await server.count("limits")
        let flow = await server.begin(.login)
        let body = JSONValue.object([
            "method": "password", "identifier": .string(Self.email),
            "password": .string(SelfServiceServer.password),
        ])
        // The first transaction counts the attempt.
        let racing = RacingServer(server, at: .transaction(2)) {
            switch incident {
            case .databaseFailure: throw DatabaseError(.unavailable, message: "The connection was lost.")
            case .endOfFlow: #expect(try await server.submit(.login, flow, body).status == 200)
            case .newPassword:
                try await server.resources.database.transaction { transaction in
                    _ = try transaction.execute("UPDATE passwords SET hash = 'quick2:other'")
                }
            }
        }

        let answer = try await racing.submit(.login, flow, body)

        switch incident {
        case .databaseFailure: #expect(answer.status == 503)
        case .endOfFlow: #expect(answer.errorID == .flowExpired)
        case .newPassword: #expect(answer.messages == [.invalidCredentials])
        }
        #expect(try await server.count("limits") == before)
    }

    @Test func `stop unknown networks after sixty failures a day, but never known networks`() async throws {
        let server = try await registered()
        var judged = 0
        for network in 1...20 {
            judged += try await fail(5, on: server, from: "198.51.100.\(network)").count { $0 == 400 }
        }
        #expect(judged == 60)
        #expect(try await server.login(from: "203.0.113.1").status == 429)
        #expect(try await server.login(from: Self.known).status == 200)
        #expect(try await server.login(Self.phone, from: Self.known).status == 200)

        server.time.advance(by: .seconds(86_400))
        #expect(try await server.login(from: "203.0.113.1").status == 200)
    }

    @Test func `forget the failures of a network after a success there, but not those of the account`()
        async throws
    {
        let server = try await registered {
            $0.limits.failuresPerAccount = [Rate(12, per: .seconds(86_400))]
        }
        for _ in 0..<3 {
            #expect(try await fail(4, on: server, from: "198.51.100.1") == [400, 400, 400, 400])
            guard try await server.login(from: "198.51.100.1").status == 200 else { break }
            try await server.forgetKnownNetworks()
        }
        #expect(try await server.login(from: "198.51.100.1").errorID == .tooManyRequests)
    }

    @Test func `keep a daily bound on a known network that successes do not reset`() async throws {
        let server = try await registered()
        var judged = 0
        for _ in 0..<30 {
            judged += try await fail(4, on: server, from: Self.known).count { $0 == 400 }
            _ = try await server.login(from: Self.known)
        }
        #expect(judged == 60)
    }

    @Test func `stop a network that fails at ten accounts within an hour`() async throws {
        let server = try await registered()
        for number in 2...12 { try await server.register(number) }
        try await server.forgetKnownNetworks()
        for number in 2...11 {
            let identifier = "person\(number)@example.org"
            #expect(try await fail(1, on: server, identifier, from: "198.51.100.1") == [400])
        }
        // The account that is attacked next has no failures yet; each of the earlier accounts has four more.
        #expect(try await server.login(from: "198.51.100.1").status == 429)
        #expect(
            try await fail(1, on: server, "person2@example.org", from: "198.51.100.1") == [400]
        )
        #expect(try await server.login(from: "198.51.100.2").status == 200)

        server.time.advance(by: .seconds(3600))
        #expect(try await server.login(from: "198.51.100.1").status == 200)
    }

    @Test func `do not count failures at other accounts on the known networks of an account`() async throws {
        let server = try await registered()
        for number in 0..<120 {
            _ = try await fail(1, on: server, "invented\(number)@example.org", from: Self.known)
        }
        #expect(try await server.login("person2@example.org", from: Self.known).status == 429)
        #expect(try await server.login(from: Self.known).status == 200)
    }

    @Test func `do not count a typing error followed by a success against the network`() async throws {
        let server = try await SelfServiceServer()
        for number in 1...15 { try await server.register(number) }
        try await server.forgetKnownNetworks()
        for number in 1...15 {
            let identifier = "person\(number)@example.org"
            #expect(try await fail(1, on: server, identifier, from: "198.51.100.1") == [400])
            server.time.advance(by: .seconds(1))
            #expect(try await server.login(identifier, from: "198.51.100.1").status == 200)
            server.time.advance(by: .seconds(1))
        }
    }

    @Test func `count IPv6 prefixes together, so that a site does not get 65,536 budgets`() async throws {
        let server = try await registered()
        var judged = 0
        for subnet in 0..<200 {
            let host = "2001:db8:0:" + String(subnet * 256, radix: 16) + "::1"
            judged += try await fail(1, on: server, "invented\(subnet)@example.org", from: host)
                .count { $0 == 400 }
        }
        #expect(judged == 40)
    }

    /// Each row is a sequence of networks; the answers must not depend on whether there is an account.
    @Test(arguments: [
        ["198.51.100.1"].repeated(9),
        ["198.51.100.1", "198.51.100.2", "2001:db8::1", "2001:db8:0:1::1"].repeated(30),
        (0..<70).map { "198.51.100.\($0)" },
    ])
    func `give the same responses for known and unknown identifiers`(hosts: [String]) async throws {
        let server = try await registered()
        var answers: [[String]] = []
        for identifier in [Self.email, "unknown@example.org"] {
            var statuses: [String] = []
            for (number, host) in hosts.enumerated() {
                let answer = try await server.login(identifier, "wrong-\(number)", from: host)
                statuses.append("\(answer.status) \(answer.response.headers["Retry-After"] ?? "")")
            }
            answers.append(statuses)
            // The networks' own counts must not differ between the two rounds.
            try await server.forgetLimits()
        }
        #expect(answers[0] == answers[1])
    }

    @Test func `do not count attempts that an overloaded server rejects`() async throws {
        let server = try await registered()
        server.hasher.fail(with: .overloaded(retryAfter: 1))
        for _ in 0..<20 { #expect(try await server.login(from: "198.51.100.1").status == 503) }
        server.hasher.fail(with: nil)
        #expect(try await server.login(from: "198.51.100.1").status == 200)
        #expect(try await server.count("limits") == 1)
    }
}

extension Array {
    fileprivate func repeated(_ times: Int) -> [Element] {
        (0..<times).flatMap { _ in self }
    }
}

extension SelfServiceServer {
    /// Removes the known networks of all accounts.
    func forgetKnownNetworks() async throws {
        try await resources.database.transaction { transaction in
            _ = try transaction.execute("DELETE FROM known_networks")
        }
    }

    /// Removes all counters of the limits.
    func forgetLimits() async throws {
        try await resources.database.transaction { transaction in
            _ = try transaction.execute("DELETE FROM limits")
        }
    }
}
