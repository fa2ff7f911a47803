import LatchkeyAccounts
import LatchkeyModel
import LatchkeySelfService
import LatchkeyServer
import LatchkeyServerKit
import LatchkeyTestKit
import LatchkeyWire
import TestDatabases
import Testing

/// The tests use an account that was registered from 192.0.2.1, which is its only known network.
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

    /// Logs in with wrong passwords, and returns the status of each response.
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

    @Test func `Each network has its own password budget for an account`() async throws {
        let server = try await registered()
        #expect(
            try await fail(6, on: server, from: "198.51.100.1") == [400, 400, 400, 400, 400, 429]
        )
        #expect(try await server.login(from: "198.51.100.1").status == 429)
        #expect(try await server.login(from: "203.0.113.1").status == 200)
    }

    @Test func `All of an account's identifiers share one limit`() async throws {
        let server = try await registered()
        _ = try await fail(3, on: server, Self.email, from: "198.51.100.1")
        _ = try await fail(2, on: server, Self.phone, from: "198.51.100.1")
        #expect(try await server.login(Self.email, from: "198.51.100.1").status == 429)
        #expect(try await server.login(Self.phone, from: "198.51.100.1").status == 429)
    }

    /// An event that occurs after a correct password has been checked and before the login is completed.
    enum Incident: CaseIterable {
        case databaseFailure, endOfFlow, newPassword
    }

    @Test(arguments: Incident.allCases)
    func `A correct password isn't counted if the login fails for another reason`(_ incident: Incident)
        async throws
    {
        // The form that replaces an ended flow counts, but not as a wrong password.
        let server = try await registered { $0.limits.formsPerAddress = [] }
        try await server.forgetKnownNetworks()
        let before = try await server.count("limits")
        let flow = await server.begin(.login)
        let body = JSONValue.object([
            "method": "password", "identifier": .string(Self.email),
            "password": .string(SelfServiceServer.password),
        ])
        // The attempt is counted in the first transaction.
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

    @Test func `Unknown networks are blocked after sixty failures a day, but known networks aren't`()
        async throws
    {
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

    @Test func `A successful login resets the network's failure count but not the account's`()
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

    @Test func `A daily limit applies to known networks and isn't reset by successful logins`() async throws {
        let server = try await registered()
        var judged = 0
        for _ in 0..<30 {
            judged += try await fail(4, on: server, from: Self.known).count { $0 == 400 }
            _ = try await server.login(from: Self.known)
        }
        #expect(judged == 60)
    }

    @Test func `A network that fails to log in to ten accounts within an hour is blocked`() async throws {
        let server = try await registered()
        for number in 2...12 { try await server.register(number) }
        try await server.forgetKnownNetworks()
        for number in 2...11 {
            let identifier = "person\(number)@example.org"
            #expect(try await fail(1, on: server, identifier, from: "198.51.100.1") == [400])
        }
        // The network can no longer try other accounts, but wrong passwords for the accounts that it has
        // already tried are still checked.
        #expect(try await server.login(from: "198.51.100.1").status == 429)
        #expect(
            try await fail(1, on: server, "person2@example.org", from: "198.51.100.1") == [400]
        )
        #expect(try await server.login(from: "198.51.100.2").status == 200)

        server.time.advance(by: .seconds(3600))
        #expect(try await server.login(from: "198.51.100.1").status == 200)
    }

    @Test func `Failures on other accounts don't count against an account's known networks`() async throws {
        let server = try await registered()
        for number in 0..<120 {
            _ = try await fail(1, on: server, "invented\(number)@example.org", from: Self.known)
        }
        #expect(try await server.login("person2@example.org", from: Self.known).status == 429)
        #expect(try await server.login(from: Self.known).status == 200)
    }

    @Test func `A typo that is followed by a successful login doesn't count against the network`()
        async throws
    {
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

    /// A server whose first account failed on a network two hours ago, and again just now.
    private func failedTwice() async throws -> SelfServiceServer {
        let server = try await SelfServiceServer {
            $0.limits.accountsPerAddress = [Rate(1, per: .seconds(3600))]
        }
        for number in 1...2 { try await server.register(number) }
        try await server.forgetKnownNetworks()
        for _ in 1...2 {
            server.time.advance(by: .seconds(7200))
            #expect(try await fail(1, on: server, Self.email, from: "198.51.100.1") == [400])
        }
        return server
    }

    @Test func `An account that failed hours ago counts again for the network`() async throws {
        let server = try await failedTwice()
        #expect(try await server.login("person2@example.org", from: "198.51.100.1").status == 429)
    }

    @Test func `A login takes the account off the network's list even if it also failed hours ago`()
        async throws
    {
        let server = try await failedTwice()
        #expect(try await server.login(Self.email, from: "198.51.100.1").status == 200)
        #expect(try await server.login("person2@example.org", from: "198.51.100.1").status == 200)
    }

    @Test func `All networks in an IPv6 /48 prefix share an additional limit`() async throws {
        let server = try await registered()
        var judged = 0
        for subnet in 0..<200 {
            let host = "2001:db8:0:" + String(subnet * 256, radix: 16) + "::1"
            judged += try await fail(1, on: server, "invented\(subnet)@example.org", from: host)
                .count { $0 == 400 }
        }
        #expect(judged == 40)
    }

    /// Each argument is a sequence of networks that the requests come from.
    ///
    /// The responses must not depend on whether the account exists.
    @Test(arguments: [
        ["198.51.100.1"].repeated(9),
        ["198.51.100.1", "198.51.100.2", "2001:db8::1", "2001:db8:0:1::1"].repeated(30),
        (0..<70).map { "198.51.100.\($0)" },
    ])
    func `Known and unknown identifiers get the same responses`(hosts: [String]) async throws {
        let server = try await registered()
        var answers: [[String]] = []
        for identifier in [Self.email, "unknown@example.org"] {
            var statuses: [String] = []
            for (number, host) in hosts.enumerated() {
                let answer = try await server.login(identifier, "wrong-\(number)", from: host)
                statuses.append("\(answer.status) \(answer.response.headers["Retry-After"] ?? "")")
            }
            answers.append(statuses)
            // We reset the limits so that the networks' own counters are the same in both rounds.
            try await server.forgetLimits()
        }
        #expect(answers[0] == answers[1])
    }

    @Test func `Attempts that are rejected because the server is overloaded aren't counted`() async throws {
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
    /// Deletes the known networks of all accounts.
    func forgetKnownNetworks() async throws {
        try await resources.database.transaction { transaction in
            _ = try transaction.execute("DELETE FROM known_networks")
        }
    }

    /// Deletes all rate limit counters.
    func forgetLimits() async throws {
        try await resources.database.transaction { transaction in
            _ = try transaction.execute("DELETE FROM limits")
        }
    }
}
