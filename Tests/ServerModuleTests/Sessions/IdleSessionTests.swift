import LatchkeyAccounts
import LatchkeyCrypto
import LatchkeyModel
import LatchkeyOAuth
import LatchkeySelfService
import LatchkeyServer
import LatchkeyServerKit
import LatchkeyTestKit
import LatchkeyWire
import TestDatabases
import Testing

@Suite("Sessions that aren't used", .onEachDatabase)
struct IdleSessionTests {
    private static let idle = Duration.seconds(3600)

    private func account(_ change: (inout ServerConfiguration) -> Void = { _ in }) async throws
        -> ProvenAccount
    {
        try await ProvenAccount { configuration in
            configuration.sessions.idleLifespan = Self.idle
            change(&configuration)
        }
    }

    private func repository(of server: SelfServiceServer) -> SessionRepository {
        SessionRepository(database: server.database, settings: server.configuration.sessions)
    }

    @Test func `A session ends when it isn't used for the idle lifespan`() async throws {
        let account = try await account()
        let token = try await account.logIn()
        account.server.time.advance(by: Self.idle - .microseconds(1))
        #expect(await account.server.isAlive(token))
        account.server.time.advance(by: Self.idle)

        let answer = await account.server.stream(token)
        #expect(answer.status == 401 && answer.errorID == .sessionInactive)
        let whoami = await account.server.get("/sessions/whoami", token: token)
        #expect(whoami.status == 401)
        #expect(whoami.body["error"]?["status"] == "Unauthorized")
    }

    @Test func `A session that is used lasts for its whole lifespan and no longer`() async throws {
        let account = try await account { $0.sessions.lifespan = .seconds(20_000) }
        let token = try await account.logIn()
        for _ in 1...7 {
            account.server.time.advance(by: .seconds(2800))
            #expect(await account.server.isAlive(token))
        }
        account.server.time.advance(by: .seconds(399))
        #expect(await account.server.isAlive(token))
        account.server.time.advance(by: .seconds(1))
        #expect(await !account.server.isAlive(token))
    }

    @Test func `A use is recorded if the session then lasts for its whole lifespan`() async throws {
        let account = try await account { $0.sessions.lifespan = .seconds(3700) }
        let token = try await account.logIn()
        account.server.time.advance(by: .seconds(100))
        #expect(await account.server.isAlive(token))
        account.server.time.advance(by: .seconds(3599))
        #expect(await account.server.isAlive(token))
        account.server.time.advance(by: .seconds(1))
        #expect(await !account.server.isAlive(token))
    }

    @Test func `A session that has received its certificate ends when it isn't used`() async throws {
        let account = try await DeviceAccount { $0.sessions.idleLifespan = Self.idle }
        let token = try await account.register()
        #expect(try await account.enrol(try SigningKey.generate(), token: token).status == 200)
        account.server.time.advance(by: Self.idle - .seconds(1))
        #expect(try await account.isAlive(token))
        account.server.time.advance(by: Self.idle)
        #expect(try await !account.isAlive(token))
        await account.server.stop()
    }

    @Test func `A session is also used by its tokens`() async throws {
        let server = try await OAuthServer {
            $0.sessions.idleLifespan = Self.idle
            $0.tokens.accessLifespan = .seconds(20_000)
        }
        let device = try await TokenDevice(server)
        try await server.database.transaction { [end = server.time.now + Self.idle] transaction in
            _ = try transaction.execute("UPDATE sessions SET expires_at = $1", .time(end))
        }
        var pair = try await device.exchange()
        for isRefresh in [true, true, false, true] {
            server.time.advance(by: .seconds(2800))
            if isRefresh {
                pair = try await device.refresh(pair.refreshToken)
            } else {
                #expect(await server.whoami(pair.accessToken).status == 200)
            }
        }
        server.time.advance(by: Self.idle)
        #expect(await server.whoami(pair.accessToken).status == 401)
    }

    @Test func `The expiry date in the response moves with each recorded use`() async throws {
        let account = try await account()
        let server = account.server
        let token = try await account.logIn()
        func expiry() async -> Timestamp? {
            await server.get("/sessions/whoami", token: token)["expires_at"]?.text.flatMap {
                Timestamp(rfc3339: $0)
            }
        }
        let first = server.time.now + Self.idle
        #expect(await expiry() == first)
        // A twentieth of an hour is three minutes.
        server.time.advance(by: .seconds(179))
        #expect(await expiry() == first)
        server.time.advance(by: .seconds(1))
        #expect(await expiry() == server.time.now + Self.idle)
    }

    @Test func `Uses are recorded at most once in a twentieth of the idle lifespan`() async throws {
        let account = try await account()
        let server = account.server
        let token = try await account.logIn()
        server.time.advance(by: .seconds(200))
        let first = await server.database.counts { #expect(await server.isAlive(token)) }
        let others = await server.database.work {
            for _ in 1...50 {
                server.time.advance(by: .seconds(3))
                #expect(await server.isAlive(token))
            }
        }

        #expect(first.transactions == 1)
        #expect(Self.withoutCatalog(others).count == 50 && !others.contains("BEGIN"))
    }

    @Test func `Without an idle lifespan, whoami is a single read`() async throws {
        let account = try await ProvenAccount()
        let server = account.server
        let token = try await account.logIn()
        let statements = await server.database.work {
            for _ in 1...50 {
                server.time.advance(by: .seconds(3600))
                #expect(await server.isAlive(token))
            }
        }

        #expect(Self.withoutCatalog(statements).count == 50 && !statements.contains("BEGIN"))
    }

    /// Leaves out the reads of documents, which a background task of a running server does in advance.
    private static func withoutCatalog(_ statements: [String]) -> [String] {
        statements.filter { !$0.contains("FROM terms_documents") }
    }

    @Test func `A use that can't be recorded doesn't reject the request`() async throws {
        let account = try await account()
        let server = account.server
        let token = try await account.logIn()
        server.time.advance(by: .seconds(1800))
        let found = try #require(
            try await repository(of: server).find(SessionToken(presented: Secret(token)))
        )
        let broken = SessionRepository(
            database: ReadOnlyDatabase(server.resources.database),
            settings: server.configuration.sessions
        )

        let after = try await broken.noteUse(of: found, at: server.time.now)
        #expect(after.session.expiresAt == found.session.expiresAt)
    }

    @Test func `Using a session at the moment it is revoked doesn't revive it`() async throws {
        let account = try await account()
        let server = account.server
        let token = try await account.logIn()
        server.time.advance(by: .seconds(1800))
        let found = try #require(
            try await repository(of: server).find(SessionToken(presented: Secret(token)))
        )
        #expect(try await server.logOut(token).status == 204)

        let after = try await repository(of: server).noteUse(of: found, at: server.time.now)
        #expect(after.session.expiresAt == found.session.expiresAt)
        #expect(await !server.isAlive(token))
    }

    @Test func `Concurrent uses record one expiry date`() async throws {
        let account = try await account()
        let server = account.server
        let token = try await account.logIn()
        server.time.advance(by: .seconds(1800))
        await withTaskGroup(of: Bool.self) { group in
            for _ in 1...20 { group.addTask { await server.isAlive(token) } }
            for await isAlive in group { #expect(isAlive) }
        }
        let found = try #require(
            try await repository(of: server).find(SessionToken(presented: Secret(token)))
        )
        #expect(found.session.expiresAt == server.time.now + Self.idle)
    }

    @Test func `Lists of sessions leave out sessions that weren't used`() async throws {
        let account = try await account()
        let server = account.server
        let used = try await account.logIn()
        _ = try await account.logIn()
        server.time.advance(by: .seconds(2000))
        #expect(await server.isAlive(used))
        #expect(await server.get("/sessions", token: used).body.elements.count == 2)
        server.time.advance(by: .seconds(2000))

        #expect(await server.get("/sessions", token: used).body.elements.isEmpty)
        let active = await account.admin.send(.get, "/admin/sessions?active=true")
        #expect(active.body.elements.count == 1)
    }

    @Test func `The stream of a session that isn't used ends`() async throws {
        let account = try await account()
        let server = account.server
        let token = try await account.logIn()
        let followed = try await server.follow(token)
        await server.time.sleepers(atLeast: 1)
        server.time.advance(by: .seconds(1800))
        #expect(await server.isAlive(token))
        await server.time.sleepers(atLeast: 1)
        // The session was used, so its stream stays open beyond the first date.
        server.time.advance(by: .seconds(2000))
        await wait(until: "the stream has been woken") { followed.comments > 0 }
        #expect(!followed.hasEnded)
        await server.time.sleepers(atLeast: 1)
        server.time.advance(by: .seconds(2000))
        await followed.expect(["state", "session_ended"])
    }

    @Test func `An operator's extension restarts the idle lifespan and extends the session`() async throws {
        let account = try await account { $0.sessions.lifespan = .seconds(10_000) }
        let server = account.server
        let token = try await account.logIn()
        let id = try #require(await server.get("/sessions/whoami", token: token)["id"]?.text)
        server.time.advance(by: .seconds(3000))
        #expect(await account.admin.send(.patch, "/admin/sessions/\(id)/extend").status < 300)
        for _ in 1...4 {
            server.time.advance(by: .seconds(2400))
            #expect(await server.isAlive(token))
        }
        server.time.advance(by: .seconds(400))
        #expect(await !server.isAlive(token))
    }

    @Test
    func `The idle lifespan applies to existing sessions when it is configured, and ends with the setting`()
        async throws
    {
        let account = try await ProvenAccount()
        let server = account.server
        let (used, unused) = (try await account.logIn(), try await account.logIn())
        let limited = try await SelfServiceServer(over: server.resources.database) {
            $0.sessions.idleLifespan = Self.idle
        }
        limited.time.advance(by: server.time.now - limited.time.now)
        _ = try await limited.assembly.cleanUp.round()
        server.time.advance(by: .seconds(3000))
        // Without the setting, a use restores the whole lifespan.
        #expect(await server.isAlive(used))
        server.time.advance(by: .seconds(3000))
        #expect(await server.isAlive(used))
        #expect(await !server.isAlive(unused))
        server.time.advance(by: .seconds(29 * 86_400))
        #expect(await server.isAlive(used))
    }
}

/// A database that is full.
private struct ReadOnlyDatabase: Database {
    private let database: any Database
    var broadcast: Broadcast { database.broadcast }

    var writes: WriteHealth { database.writes }

    init(_ database: any Database) {
        self.database = database
    }

    func rows(_ sql: SQL, _ values: [SQLValue]) async throws(DatabaseError) -> [Row] {
        try await database.rows(sql, values)
    }

    func transaction<Outcome: Sendable>(
        _ body: @escaping @Sendable (borrowing Transaction) throws -> Outcome
    ) async throws -> Outcome {
        throw DatabaseError(.failed, message: "The disk is full.")
    }

    func close() async {}
}
