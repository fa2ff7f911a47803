import LatchkeyModel
import LatchkeyTestKit
import LatchkeyWire
import Testing

@testable import LatchkeyAccounts
@testable import LatchkeyServerKit

/// A session that was inserted directly into the database.
struct OpenedSession: Sendable {
    let token: SessionToken
    let session: Session
}

extension TestServer {
    /// Inserts a new identity and a session for it into the database.
    func openSession(needsCertificate: Bool = true) async throws -> OpenedSession {
        let database = try #require(self.database)
        let now = time.now
        let identity = Identifier()
        let session = Session(
            id: Identifier(),
            identityID: identity,
            authentications: [Authentication(.password, at: now)],
            issuedAt: now,
            authenticatedAt: now,
            expiresAt: now + (needsCertificate ? .seconds(900) : .seconds(86_400)),
            needsCertificate: needsCertificate,
            deviceID: Identifier(),
            ipAddress: "127.0.0.1",
            userAgent: "test"
        )
        let token = SessionToken(prefix: "lk_st_", random: SystemRandom())
        try await database.transaction { transaction in
            try transaction.execute(
                """
                INSERT INTO identities \
                (id, schema_id, state, traits, body, version, state_changed_at, created_at, updated_at) \
                VALUES ($1, 'customer', 'active', $2, $3, 0, $4, $4, $4)
                """,
                .identifier(identity),
                .blob(Array("{}".utf8)),
                .blob(Identity.members(at: now)),
                .time(now)
            )
            try SessionRepository.insert(NewSession(session, token: token), in: transaction)
        }
        return OpenedSession(token: token, session: session)
    }

    /// Reloads the session from the database.
    func session(_ opened: OpenedSession) async throws -> Session {
        let rows = try await #require(database).rows(
            """
            SELECT id, identity_id, authentications, issued_at, authenticated_at, expires_at, \
            needs_certificate, device_id, ip_address, user_agent, revoked_at, ends_at, \
            client_id, NULL, parent_id FROM sessions WHERE id = $1
            """,
            .identifier(opened.session.id)
        )
        return try Session(row: #require(rows.first))
    }
}

extension Identity {
    /// Returns the JSON members that are stored for an identity without traits.
    static func members(at now: Timestamp) -> [UInt8] {
        Array(
            #"""
            "state":"active","state_changed_at":"\#(now)","traits":{},"metadata_public":null,\#
            "created_at":"\#(now)","updated_at":"\#(now)","organization_id":null
            """#.utf8
        )
    }
}
