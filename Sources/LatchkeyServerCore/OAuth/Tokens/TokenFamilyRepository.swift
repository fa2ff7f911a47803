import LatchkeyModel

/// Where the families of refresh tokens are kept, one for each session that was exchanged.
struct TokenFamilyRepository: Sendable {
    private let database: any Database

    init(_ context: ServerContext) {
        database = context.database
    }

    /// Finds the family of a session, whatever the session's state.
    func find(_ session: Identifier) async throws -> TokenFamily? {
        let rows = try await database.rows(
            """
            SELECT s.identity_id, s.expires_at, s.needs_certificate, s.revoked_at, i.state, \
            f.key_thumbprint, f.used, f.used_at, \
            i.schema_id, s.method, s.authenticated_at, i.reclaimed_at \
            FROM token_families f JOIN sessions s ON s.id = f.session_id \
            JOIN identities i ON i.id = s.identity_id WHERE f.session_id = $1
            """,
            .identifier(session)
        )
        guard let row = rows.first else { return nil }
        return TokenFamily(
            session: session,
            identity: try row.identifier(0),
            login: try TokenFamily.Login(row: row, from: 8),
            expiresAt: try row.time(1),
            isUsable: try !row.bool(2) && row.isNull(3) && row.text(4) == IdentityRecord.active,
            keyThumbprint: try row.blob(5),
            used: try row.integer(6),
            usedAt: try row.time(7)
        )
    }

    /// Opens the family of a session, unless it has one or has ended.
    ///
    /// - Parameters:
    ///   - session: The session.
    ///   - keyThumbprint: The thumbprint of the device's key.
    ///   - now: The time.
    ///   - event: The entry in the audit log, written if the family is opened.
    /// - Throws: ``DatabaseError``.
    func open(
        _ session: Identifier,
        keyThumbprint: [UInt8],
        at now: Timestamp,
        recording event: AuditEvent
    ) async throws {
        try await database.transaction { transaction in
            let opened = try transaction.execute(
                """
                INSERT INTO token_families (session_id, key_thumbprint, used, opened_at, used_at) \
                SELECT $1, $2, 0, $3, $3 WHERE EXISTS (\
                SELECT 1 FROM sessions WHERE id = $1 AND revoked_at IS NULL AND expires_at > $3) \
                ON CONFLICT DO NOTHING
                """,
                .identifier(session),
                .blob(keyThumbprint),
                .time(now)
            )
            if opened == 1 { try AuditLog.append(event, in: transaction) }
        }
    }

    /// Makes a token the used one of its family.
    ///
    /// One trip to the database, for this is what nearly every request comes to; why it was nothing is for a second.
    ///
    /// - Returns: The family; nothing when the token is not the newest, the key another, or the session not alive.
    func use(_ token: RefreshToken, by keyThumbprint: [UInt8], at now: Timestamp) async throws -> TokenFamily?
    {
        try await database.transaction { transaction in
            let isUsed = try transaction.execute(
                """
                UPDATE token_families SET used = $1, used_at = $2 \
                WHERE session_id = $3 AND used = $4 AND key_thumbprint = $5 AND EXISTS (\
                SELECT 1 FROM sessions s JOIN identities i ON i.id = s.identity_id WHERE s.id = $3 \
                AND s.revoked_at IS NULL AND s.needs_certificate = $6 AND s.expires_at > $2 AND i.state = $7)
                """,
                .integer(token.number),
                .time(now),
                .identifier(token.session),
                .integer(token.number - 1),
                .blob(keyThumbprint),
                .bool(false),
                .text(IdentityRecord.active)
            )
            guard isUsed == 1 else { return nil }
            let rows = try transaction.rows(
                """
                SELECT s.identity_id, s.expires_at, i.schema_id, s.method, s.authenticated_at, i.reclaimed_at \
                FROM sessions s JOIN identities i ON i.id = s.identity_id WHERE s.id = $1
                """,
                .identifier(token.session)
            )
            guard let row = rows.first else { return nil }
            return TokenFamily(
                session: token.session,
                identity: try row.identifier(0),
                login: try TokenFamily.Login(row: row, from: 2),
                expiresAt: try row.time(1),
                isUsable: true,
                keyThumbprint: keyThumbprint,
                used: token.number,
                usedAt: now
            )
        }
    }

    /// The thumbprints of the keys that a session's certificates certify.
    func certifiedKeys(of session: Identifier) async throws -> [[UInt8]] {
        try await database.rows(
            "SELECT DISTINCT key_thumbprint FROM certificates WHERE session_id = $1 AND revoked_at IS NULL",
            .identifier(session)
        ).map { row in try row.blob(0) }
    }
}
