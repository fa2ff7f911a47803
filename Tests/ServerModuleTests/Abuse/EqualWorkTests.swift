import LatchkeyModel
import LatchkeySelfService
import LatchkeyServer
import LatchkeyServerKit
import LatchkeyTestKit
import LatchkeyWire
import TestDatabases
import Testing

/// An attacker can't learn anything from response times if the amount of work is always the same.
@Suite(.onEachDatabase) struct `Equal work for known and unknown accounts` {
    private struct Work: Equatable {
        var statements: [String]
        var hashes: Int
    }

    private static let accounts = ["person1@example.org", "person2@example.org"]

    /// Returns a different client address for each account, because requests are also counted per network.
    private static func host(of account: String) -> String {
        account == accounts[0] ? "198.51.100.1" : "198.51.100.2"
    }

    private func work(
        of server: SelfServiceServer,
        _ kind: FlowKind,
        _ body: JSONValue,
        after first: JSONValue? = nil,
        from host: String
    ) async throws -> Work {
        let flow = await server.begin(kind)
        if let first { _ = try await server.submit(kind, flow, first, from: host) }
        let hashes = server.hasher.work
        let statements = try await server.database.work {
            _ = try await server.submit(kind, flow, body, from: host)
        }
        return Work(statements: statements, hashes: server.hasher.work - hashes)
    }

    @Test func `Checking a wrong password takes the same amount of work whether or not the account exists`()
        async throws
    {
        let server = try await SelfServiceServer()
        try await server.register()
        let works = try await Self.accounts.asyncMap { account in
            try await work(
                of: server,
                .login,
                .object(["method": "password", "identifier": .string(account), "password": "wrong-password"]),
                from: Self.host(of: account)
            )
        }
        #expect(works[0] == works[1])
        #expect(works[0].hashes == 1)
        #expect(works[0].statements.filter { $0 == "BEGIN" }.count == 3)
    }

    @Test func `Requesting a login code takes the same amount of work whether or not the account exists`()
        async throws
    {
        let server = try await SelfServiceServer()
        try await server.register()
        let works = try await Self.accounts.asyncMap { account in
            try await work(
                of: server,
                .login,
                .object(["method": "code", "identifier": .string(account)]),
                from: Self.host(of: account)
            )
        }
        #expect(works[0] == works[1])
        #expect(works[0].statements.filter { $0 == "BEGIN" }.count == 1)
    }

    @Test(arguments: [FlowKind.recovery, .verification])
    func `Requesting a recovery or verification code takes the same amount of work for every account`(
        _ kind: FlowKind
    )
        async throws
    {
        let server = try await SelfServiceServer()
        try await server.register()
        let works = try await Self.accounts.asyncMap { account in
            try await work(
                of: server,
                kind,
                .object(["method": "code", "email": .string(account)]),
                from: Self.host(of: account)
            )
        }
        #expect(works[0] == works[1])
        #expect(works[0].statements.filter { $0 == "BEGIN" }.count == 1)
    }

    @Test(arguments: [FlowKind.login, .recovery, .verification])
    func `Checking a wrong code does the same work whether or not the account exists`(
        _ kind: FlowKind
    ) async throws {
        let server = try await SelfServiceServer()
        try await server.register()
        let works = try await Self.accounts.asyncMap { account in
            try await work(
                of: server,
                kind,
                .object(["method": "code", "code": "000000"]),
                after: .object([
                    "method": "code", kind == .login ? "identifier" : "email": .string(account),
                ]),
                from: Self.host(of: account)
            )
        }
        #expect(works[0] == works[1])
    }

    @Test func `Known and unknown accounts leave the same number of rows behind`() async throws {
        let server = try await SelfServiceServer()
        try await server.register()
        for account in Self.accounts {
            let flow = await server.begin(.login)
            _ = try await server.submitCode(.login, flow, ["identifier": .string(account)])
        }
        await server.messagesAreSent()
        let sizes = try await server.resources.database.rows(
            "SELECT COUNT(*), MIN(LENGTH(code_mac)), MAX(LENGTH(code_mac)) FROM codes"
        )
        #expect(try sizes.first?.integer(0) == 2)
        #expect(try sizes.first?.integer(1) == sizes.first?.integer(2))
    }
}

extension Array {
    /// Returns the transformed elements.
    ///
    /// The elements are transformed sequentially.
    fileprivate func asyncMap<Changed>(_ change: (Element) async throws -> Changed) async rethrows
        -> [Changed]
    {
        var changed: [Changed] = []
        for element in self { changed.append(try await change(element)) }
        return changed
    }
}
