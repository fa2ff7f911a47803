import LatchkeyCrypto
import LatchkeyModel
import LatchkeyServer
import LatchkeyTestKit
import LatchkeyWire
import TestDatabases
import Testing

@testable import LatchkeyAccounts
@testable import LatchkeyOAuth
@testable import LatchkeyServerKit

/// The tests are deterministic, and cover the statements that decide which of several concurrent requests
/// succeeds.
@Suite(.onEachDatabase) struct `Refresh token families` {
    private let server: OAuthServer
    private let device: TokenDevice
    private let families: TokenFamilyRepository

    init() async throws {
        server = try await OAuthServer()
        device = try await TokenDevice(server)
        families = TokenFamilyRepository(
            database: server.resources.database,
            sessionSettings: server.configuration.sessions
        )
        _ = try await device.exchange()
    }

    private func use(_ number: Int64) async throws -> Bool {
        try await families.use(
            RefreshToken(session: device.session.id, number: number),
            by: device.key.publicKey.thumbprint,
            at: server.time.now
        ) != nil
    }

    @Test func `Each token is accepted once and in order`() async throws {
        #expect(try await !use(2))
        #expect(try await use(1))
        #expect(try await !use(1))
        #expect(try await !use(3))
        #expect(try await use(2))
        #expect(try await !use(1))
        #expect(try await server.used(device.session) == 2)
    }

    @Test func `Tokens are rejected after the session has ended`() async throws {
        _ = await server.logOut(device.opened.token.secret)
        #expect(try await !use(1))

        let other = try await TokenDevice(server)
        _ = try await other.exchange()
        server.time.advance(by: .seconds(30 * 86_400))
        let token = RefreshToken(session: other.session.id, number: 1)
        let late = try await families.use(token, by: other.key.publicKey.thumbprint, at: server.time.now)
        #expect(late == nil)
    }

    @Test func `Tokens are rejected for another key, a disabled identity or a provisional session`()
        async throws
    {
        let token = RefreshToken(session: device.session.id, number: 1)
        let key = device.key.publicKey.thumbprint
        #expect(
            try await families.use(token, by: SigningKey.generate().publicKey.thumbprint, at: server.time.now)
                == nil
        )
        for (off, on) in [
            ("UPDATE identities SET state = 'inactive'", "UPDATE identities SET state = 'active'"),
            ("UPDATE sessions SET needs_certificate = 1", "UPDATE sessions SET needs_certificate = 0"),
        ] as [(SQL, SQL)] {
            try await server.database.transaction { _ = try $0.execute(off) }
            #expect(try await !use(1))
            try await server.database.transaction { _ = try $0.execute(on) }
        }
        let family = try #require(try await families.use(token, by: key, at: server.time.now)).family
        #expect(family.identity == device.session.identityID)
        #expect(family.expiresAt == device.session.expiresAt)
        #expect(family.used == 1)
    }

    @Test func `A family is created only once and never for a session that has ended`() async throws {
        _ = try await device.refresh(try await device.exchange().refreshToken)
        try await open(device.session)
        #expect(try await server.used(device.session) == 1)
        #expect(try await families.find(device.session.id)?.keyThumbprint == device.key.publicKey.thumbprint)

        let other = try await TokenDevice(server)
        _ = await server.logOut(other.opened.token.secret)
        try await open(other.session)
        #expect(try await families.find(other.session.id) == nil)

        let events = try await AuditLog.events(limit: 99, in: server.database)
        #expect(events.count { $0.action == .tokensIssued } == 1)
    }

    @Test func `Creating a family is recorded in the audit log`() async throws {
        for _ in 0..<2 { _ = try await device.exchange() }
        let events = try await AuditLog.events(of: device.session.identityID, limit: 9, in: server.database)
        let issued = events.filter { $0.action == .tokensIssued }
        #expect(issued.map(\.subject) == [device.session.id.description])
    }

    private func open(_ session: Session) async throws {
        try await families.open(
            session.id,
            keyThumbprint: [1],
            at: server.time.now,
            recording: AuditEvent(
                .tokensIssued,
                of: session.identityID,
                by: .user,
                at: server.time.now,
                random: SystemRandom()
            )
        )
    }

    static let showings: [(used: Int64, number: Int64, showing: TokenFamily.Showing)] = [
        (0, 1, .first), (0, 0, .unknown), (0, -1, .unknown), (0, 2, .unknown),
        (1, 1, .again), (1, 2, .first), (1, 0, .unknown), (1, 3, .unknown),
        (2, 1, .dead), (2, 2, .again), (2, 3, .first), (2, 4, .unknown),
        (9, 1, .dead), (9, 8, .dead), (9, 9, .again), (9, 10, .first), (9, 11, .unknown), (9, 0, .unknown),
    ]

    @Test(arguments: showings)
    func `The number of a token shows whether it is new, reused or unknown`(
        used: Int64,
        number: Int64,
        showing: TokenFamily.Showing
    ) {
        let family = TokenFamily(
            session: device.session.id,
            identity: device.session.identityID,
            login: TokenFamily.Login(
                schemaID: "customer",
                authentications: [Authentication(.password, at: server.time.now)],
                authenticatedAt: server.time.now
            ),
            expiresAt: server.time.now,
            isUsable: true,
            keyThumbprint: [],
            used: used,
            usedAt: server.time.now
        )
        #expect(family.judge(number) == showing)
    }
}
