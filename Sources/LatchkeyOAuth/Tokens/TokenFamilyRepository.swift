import LatchkeyAccounts
import LatchkeyModel
import LatchkeyServerKit

/// Stores the refresh token families.
///
/// Each session whose token was exchanged for a token pair has one family.
struct TokenFamilyRepository: Sendable {
    /// The columns that ``TokenFamily/Login`` is read from.
    ///
    /// Queries that use these columns must alias the session table as `s` and the identity table as `i`.
    private static let loginColumns: SQL =
        "i.schema_id, s.authentications, s.authenticated_at, i.reclaimed_at"

    private static let bySession: SQL = """
        SELECT s.identity_id, s.expires_at, s.needs_certificate, s.revoked_at, i.state, \
        f.key_thumbprint, f.used, f.used_at, \(loginColumns) \
        FROM token_families f JOIN sessions s ON s.id = f.session_id \
        JOIN identities i ON i.id = s.identity_id WHERE f.session_id = $1
        """

    private static let login: SQL = """
        SELECT s.identity_id, s.expires_at, \(loginColumns), s.ends_at, \
        s.client_id, i.body, i.duties, i.agreements FROM sessions s JOIN identities i ON i.id = s.identity_id WHERE s.id = $1
        """

    private let database: any Database
    private let sessionSettings: SessionSettings

    /// Creates a repository.
    ///
    /// The repository is stateless: all data is in the database.
    init(database: any Database, sessionSettings: SessionSettings) {
        self.database = database
        self.sessionSettings = sessionSettings
    }

    /// Returns the family of a session, or `nil` if there is none.
    ///
    /// The session may have ended. The family isn't read in a transaction, so another node may change it
    /// before the result is used.
    ///
    /// - Throws: ``DatabaseError``.
    func find(_ session: Identifier) async throws -> TokenFamily? {
        let rows = try await database.rows(
            Self.bySession,
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

    /// Creates a family for a session, unless the session already has a family or has ended.
    ///
    /// If several calls are made concurrently, only one of them stores a family and records the event. This
    /// method doesn't check the session's certificate or the identity's state, so the caller must have
    /// checked both.
    ///
    /// - Parameters:
    ///   - session: The session's id.
    ///   - keyThumbprint: The thumbprint of the device key that the tokens are bound to.
    ///   - now: The current time, which is stored as the time of creation.
    ///   - event: The audit event, which is stored only if the family is created.
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

    /// Runs a transaction that counts a repeated use of a token.
    func count(_ body: @escaping @Sendable (borrowing Transaction) throws -> Void) async throws {
        try await database.transaction(body)
    }

    /// Marks the newest token of a family as used.
    ///
    /// Almost all refreshes succeed, so a single conditional statement performs all checks. If a check fails,
    /// the caller has to read the family to find out why.
    ///
    /// A refresh is a use of the session (``SessionSettings/idleLifespan``).
    ///
    /// The family is updated and read in one transaction. If the same token is used concurrently, only one
    /// call succeeds and the others return `nil`.
    ///
    /// - Parameters:
    ///   - token: The token that the client presented.
    ///   - keyThumbprint: The thumbprint of the key that signed the proof.
    ///   - now: The current time.
    ///   - check: Called with the account and its client after the token was found to be valid, and returns the
    ///     duties of the account. If it throws an error, the token isn't used.
    /// - Returns: The family and the duties, or `nil` if the token isn't the newest one, if the family is bound to a
    ///   different key or if the session isn't active.
    /// - Throws: ``DatabaseError``, or any error thrown by `check`.
    func use(
        _ token: RefreshToken,
        by keyThumbprint: [UInt8],
        at now: Timestamp,
        checking check:
            @escaping @Sendable (
                _ account: IdentityRecord, _ client: String?, borrowing Transaction
            ) throws -> [AccountDuty] = { _, _, _ in [] }
    ) async throws -> (family: TokenFamily, duties: [AccountDuty])? {
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
                Self.login,
                .identifier(token.session)
            )
            guard let row = rows.first else { return nil }
            let identity = try row.identifier(0)
            let account = IdentityRecord(
                id: identity,
                schemaID: try row.text(2),
                isActive: true,
                body: try row.blob(8),
                waived: try row.optional(9, as: Row.text),
                agreements: try row.optional(10, as: Row.text)
            )
            let duties = try check(account, try row.optional(7, as: Row.text), transaction)
            var expiresAt = try row.time(1)
            let endsAt = try row.time(6)
            if let end = sessionSettings.extendedExpiry(from: expiresAt, endingAt: endsAt, usedAt: now),
                try SessionRepository.extend(token.session, afterUseUntil: end, at: now, in: transaction)
            {
                expiresAt = end
            }
            let family = TokenFamily(
                session: token.session,
                identity: identity,
                login: try TokenFamily.Login(row: row, from: 2),
                expiresAt: expiresAt,
                isUsable: true,
                keyThumbprint: keyThumbprint,
                used: token.number,
                usedAt: now
            )
            return (family, duties)
        }
    }

    /// Returns the thumbprints of the keys in a session's certificates, except for revoked certificates.
    ///
    /// A thumbprint is the SHA-256 hash of a public key. Keys in expired certificates are included.
    ///
    /// - Throws: ``DatabaseError``.
    func certifiedKeys(of session: Identifier) async throws -> [[UInt8]] {
        try await database.rows(
            "SELECT DISTINCT key_thumbprint FROM certificates WHERE session_id = $1 AND revoked_at IS NULL",
            .identifier(session)
        ).map { row in try row.blob(0) }
    }

    /// Returns the thumbprints of the keys that a session is bound to: those of its certificates, or else the one
    /// that its login has proven.
    func keys(of session: Identifier) async throws -> [[UInt8]] {
        let certified = try await certifiedKeys(of: session)
        guard certified.isEmpty else { return certified }
        return try await database.rows(
            "SELECT key_thumbprint FROM sessions WHERE id = $1 AND key_thumbprint IS NOT NULL",
            .identifier(session)
        ).map { row in try row.blob(0) }
    }
}
