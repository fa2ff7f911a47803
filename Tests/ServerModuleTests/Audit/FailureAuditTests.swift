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

@Suite(.onEachDatabase) struct `Audit events for failures` {
    private static let email = "person1@example.org"
    private let server: SelfServiceServer

    init() async throws {
        server = try await SelfServiceServer()
        try await server.register()
    }

    private func events(_ action: AuditAction) async throws -> [AuditEvent] {
        await server.assembly.accounts.limiter.finish()
        return try await AuditLog.events(limit: 2000, in: server.resources.database).filter {
            $0.action == action
        }
    }

    private func identity() async throws -> Identifier {
        try await server.resources.database.rows("SELECT id FROM identities")[0].identifier(0)
    }

    @Test(arguments: ["person1@example.org", "unknown@example.org"])
    func `Wrong passwords are recorded once per hour and network, even for unknown accounts`(
        identifier: String
    ) async throws {
        for _ in 0..<4 { _ = try await server.login(identifier, "wrong", from: "198.51.100.1") }
        _ = try await server.login(identifier, "wrong", from: "198.51.100.2")
        server.time.advance(by: .seconds(3600))
        _ = try await server.login(identifier, "wrong", from: "198.51.100.1")

        let failures = try await events(.loginFailed)
        // The order of events that have the same timestamp isn't defined.
        #expect(
            failures.compactMap(\.address).sorted() == ["198.51.100.1", "198.51.100.1", "198.51.100.2"]
        )
        let known = try await identity()
        for failure in failures {
            #expect(failure.identityID == (identifier == Self.email ? known : .nilUUID))
            #expect(failure.subject == AuditTrace(server.resources.secrets).hash(identifier))
        }
    }

    @Test(
        arguments: [FlowKind.login, .recovery, .verification],
        ["person1@example.org", "unknown@example.org"]
    )
    func `The first wrong code is recorded, even for unknown accounts`(
        kind: FlowKind,
        address: String
    ) async throws {
        let flow = await server.begin(kind)
        let name = kind == .login ? "identifier" : "email"
        _ = try await server.submitCode(kind, flow, [name: .string(address)], from: "198.51.100.1")
        for _ in 0..<3 {
            _ = try await server.submitCode(kind, flow, ["code": "000000"], from: "198.51.100.1")
        }

        let guesses = try await events(.codeWrong)
        #expect(guesses.map(\.subject) == [AuditTrace(server.resources.secrets).hash(address)])
        #expect(guesses.map(\.address) == ["198.51.100.1"])
        #expect(try await guesses.map(\.identityID) == [address == Self.email ? identity() : .nilUUID])
    }

    @Test func `Reaching a limit is recorded once per hour with the account and network`() async throws {
        for _ in 0..<30 { _ = try await server.login(Self.email, "wrong", from: "2001:db8:0:1::7") }

        let reached = try await events(.limitReached)
        #expect(reached.map(\.subject) == ["failures_per_account"])
        #expect(reached.map(\.address) == ["2001:db8:0:1::/64"])
        #expect(try await reached.map(\.identityID) == [identity()])

        server.time.advance(by: .seconds(3600))
        for _ in 0..<3 { _ = try await server.login(Self.email, "wrong", from: "2001:db8:0:1::7") }
        #expect(try await events(.limitReached).count == 2)
    }

    @Test func `Reaching a limit is recorded again after an hour even if the clock was set back`()
        async throws
    {
        for _ in 0..<10 { _ = try await server.login(Self.email, "wrong", from: "198.51.100.1") }
        #expect(try await events(.limitReached).count == 1)
        server.time.stepWallClock(by: .seconds(-86_400))
        server.time.advance(by: .seconds(3600))
        for _ in 0..<10 { _ = try await server.login(Self.email, "wrong", from: "198.51.100.1") }
        #expect(try await events(.limitReached).count == 2)
    }

    @Test func `Pending audit events are stored before the server shuts down`() async throws {
        let opened = Locked<SlowDatabase?>(nil)
        let server = try await TestServer.$opening.withValue({ time in
            let database = SlowDatabase(try await TestDatabase.current.open(time: time))
            opened.withLock { $0 = database }
            return database
        }) { try await TestServer() }
        let database = try #require(opened.withLock { $0 })
        let client = SignUpClient(server)
        let flow = try await client.begin()
        #expect(try await client.start(flow).status == 201)
        // We stop the workers so that the next shutdown only waits for the audit log.
        await server.assembly?.shutDown()
        database.slowDown()
        #expect(try await client.start(flow).status == 429)

        await server.assembly?.shutDown()

        let events = try await AuditLog.events(limit: 10, in: database)
        #expect(events.map(\.action) == [.limitReached])
    }

    @Test func `At most a thousand events for exceeded limits are recorded per hour`() async throws {
        let audit = LimitAudit(
            server.database,
            trace: AuditTrace(server.resources.secrets),
            time: server.time,
            random: SystemRandom()
        )
        let limiter = Limiter(
            LimitRules(),
            key: server.resources.secrets.key(for: .limits),
            refusals: server.resources.metrics.limitRefusals,
            audit: audit
        )
        let now = server.time.now
        for number in 0..<1100 {
            let event = LimitedEvent.accountChange(Identifier(high: 1, low: UInt64(number)))
            try await server.resources.database.transaction { transaction in
                for _ in 0..<21 { _ = try limiter.reserve([event], at: now, in: transaction) }
            }
        }
        await audit.finish()
        #expect(try await events(.limitReached).count == 1000)
    }

    @Test func `Audit events never contain an identifier`() async throws {
        for identifier in [Self.email, "unknown@example.org"] {
            for number in 0..<7 {
                _ = try await server.login(identifier, "wrong-\(number)", from: "198.51.100.1")
            }
            let flow = await server.begin(.recovery)
            _ = try await server.submitCode(.recovery, flow, ["email": .string(identifier)])
            _ = try await server.submitCode(
                .recovery,
                await server.begin(.recovery),
                ["email": .string(identifier)]
            )
            _ = try await server.submitCode(.recovery, flow, ["code": "000000"])
        }
        await server.assembly.accounts.limiter.finish()
        var texts = ""
        dump(try await AuditLog.events(limit: 1000, in: server.resources.database), to: &texts)
        #expect(!texts.contains("example.org"))
        #expect(try await events(.limitReached).count == 4)
    }

    /// Runs a round of the clean-up of a server that retains events for the given time.
    private func deletedEvents(retention: Duration) async throws -> Int? {
        let server = try await SelfServiceServer(over: server.resources.database) {
            $0.audit.retention = retention
        }
        server.time.advance(by: self.server.time.now - server.time.now)
        return try await server.assembly.cleanUp.round()?[.auditEvents]
    }

    @Test func `Failures are deleted after the same retention period as all other events`() async throws {
        _ = try await server.login(Self.email, "wrong")
        server.time.advance(by: .seconds(401 * 86_400))
        #expect(
            try await deletedEvents(retention: .zero) == nil
        )

        server.time.advance(by: .seconds(3600))
        _ = try await server.login(Self.email, "wrong")
        #expect(
            try await deletedEvents(retention: AuditSettings().retention) == 2
        )
        #expect(
            try await AuditLog.events(limit: 10, in: server.resources.database).map(\.action) == [
                .loginFailed
            ]
        )
    }

    @Test func `Sending a notice is recorded in the audit log`() async throws {
        try await server.confirmAll()
        let login = try await server.login()
        let token = login["session_token"]?.text
        let flow = await server.begin(.settings, token: token)
        let body = JSONValue.object(["method": "password", "password": "fresh-Start-pass-1"])
        #expect(try await server.submit(.settings, flow, body, token: token).status == 200)
        #expect(try await events(.noticeSent).map(\.subject) == [MessageKind.passwordChanged.rawValue])
    }
}

/// A database that can be told to delay its transactions.
private final class SlowDatabase: Database {
    private let database: any Database
    private let isSlow = Locked(false)

    init(_ database: any Database) {
        self.database = database
    }

    func slowDown() {
        isSlow.withLock { $0 = true }
    }

    func rows(_ sql: SQL, _ values: [SQLValue]) async throws(DatabaseError) -> [Row] {
        try await database.rows(sql, values)
    }

    func transaction<Outcome: Sendable>(
        _ body: @escaping @Sendable (borrowing Transaction) throws -> Outcome
    ) async throws -> Outcome {
        if isSlow.withLock({ $0 }) {
            for _ in 0..<1000 { await Task.yield() }
        }
        return try await database.transaction(body)
    }

    var broadcast: Broadcast { database.broadcast }

    var writes: WriteHealth { database.writes }

    func close() async {
        await database.close()
    }
}
