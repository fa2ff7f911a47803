import LatchkeyAccounts
import LatchkeyModel
import LatchkeyServerKit

/// Stores the codes with which browsers continue the sessions of apps.
enum HandoverRepository {
    /// A stored code.
    struct Entry: Sendable {
        let identity: Identifier
        let session: Identifier
        let source: String
        let target: String
        let redirectURI: String
        let network: [UInt8]
    }

    /// Stores a code.
    ///
    /// The caller must hold the session's row.
    static func insert(
        _ entry: Entry,
        code: HandoverCode,
        at now: Timestamp,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) {
        try transaction.execute(
            """
            INSERT INTO handover_codes (code_hash, identity_id, session_id, source_client_id, client_id, \
            redirect_uri, network, created_at, expires_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
            """,
            .blob(code.hash),
            .identifier(entry.identity),
            .identifier(entry.session),
            .text(entry.source),
            .text(entry.target),
            .text(entry.redirectURI),
            .blob(entry.network),
            .time(now),
            .time(now + HandoverCode.lifespan)
        )
    }

    /// Returns the entry of a code, or `nil` if the code is unknown, used or expired, or its session has ended.
    static func find(
        _ code: HandoverCode,
        at now: Timestamp,
        in database: any Database
    ) async throws(DatabaseError) -> Entry? {
        try await database.rows(
            """
            SELECT h.identity_id, h.session_id, h.source_client_id, h.client_id, h.redirect_uri, h.network \
            FROM handover_codes h JOIN sessions s ON s.id = h.session_id JOIN identities i ON i.id = h.identity_id \
            WHERE h.code_hash = $1 AND h.expires_at > $2 AND s.revoked_at IS NULL AND s.expires_at > $2 \
            AND i.state = 'active'
            """,
            .blob(code.hash),
            .time(now)
        ).first.map { row throws(DatabaseError) in
            Entry(
                identity: try row.identifier(0),
                session: try row.identifier(1),
                source: try row.text(2),
                target: try row.text(3),
                redirectURI: try row.text(4),
                network: try row.blob(5)
            )
        }
    }

    /// Uses a code up, and returns whether it could still be used.
    static func consume(
        _ handover: Handover,
        at now: Timestamp,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) -> Bool {
        try transaction.execute(
            """
            DELETE FROM handover_codes WHERE code_hash = $1 AND expires_at > $2 AND session_id = $3 \
            AND client_id = $4 AND redirect_uri = $5
            """,
            .blob(handover.code.hash),
            .time(now),
            .identifier(handover.session),
            .text(handover.target.id),
            .text(handover.redirectURI)
        ) == 1
    }

    static func deleteAll(
        of identity: Identifier,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) {
        try transaction.execute("DELETE FROM handover_codes WHERE identity_id = $1", .identifier(identity))
    }

    /// Deletes the codes that one client has asked for, or that lead to it.
    static func deleteAll(
        ofClient client: String,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) {
        try transaction.execute(
            "DELETE FROM handover_codes WHERE client_id = $1 OR source_client_id = $1",
            .text(client)
        )
    }

    /// Deletes the codes that have expired.
    static func deleteExpired(
        at now: Timestamp,
        atMost limit: Int,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) -> Int {
        try transaction.execute(
            """
            DELETE FROM handover_codes WHERE code_hash IN (SELECT code_hash FROM handover_codes \
            WHERE expires_at <= $1 ORDER BY expires_at LIMIT $2)
            """,
            .time(now),
            .integer(Int64(limit))
        )
    }
}
