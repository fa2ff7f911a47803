package import LatchkeyModel
package import LatchkeyServerKit

/// Stores sessions and their tokens.
///
/// We only store SHA-256 hashes of the tokens. Static methods run in the caller's transaction, whereas each
/// instance method uses a separate transaction.
package struct SessionRepository: Sendable {
    /// How long a replaced token stays valid after the new token is first used.
    private static let grace: Duration = .seconds(60)

    private let database: any Database
    /// The lifespans of sessions.
    package let settings: SessionSettings

    /// Creates a repository.
    ///
    /// All nodes that use the same database share the sessions.
    package init(database: any Database, settings: SessionSettings = SessionSettings()) {
        self.database = database
        self.settings = settings
    }

    /// Finds the session for a token, which may have been replaced.
    ///
    /// The session may have ended. The result is `nil` if the token is unknown.
    ///
    /// - Throws: ``DatabaseError``.
    package func find(_ token: SessionToken) async throws -> AuthenticatedSession? {
        try await find(tokenHash: token.hash)
    }

    /// Finds the session for the hash of a token, which may have been replaced.
    ///
    /// The session may have ended. The result is `nil` if the token is unknown.
    ///
    /// - Throws: ``DatabaseError``.
    package func find(tokenHash: [UInt8]) async throws -> AuthenticatedSession? {
        let rows = try await database.rows(Self.byToken, .blob(tokenHash))
        guard let row = rows.first else { return try await find(replacedTokenHash: tokenHash) }
        var found = try Self.found(row)
        if try row.bool(Self.columnCount) { found.token = .unused }
        return found
    }

    /// Finds a session by an earlier token, which was replaced when the user re-authenticated.
    ///
    /// The session may have ended. The result is `nil` if the token isn't one that was replaced.
    private func find(replacedTokenHash: [UInt8]) async throws -> AuthenticatedSession? {
        let rows = try await database.rows(Self.byReplacedToken, .blob(replacedTokenHash))
        guard let row = rows.first else { return nil }
        var found = try Self.found(row)
        found.token = .replaced(validUntil: try row.optional(Self.columnCount, as: Row.time))
        return found
    }

    /// Returns whether a use of an active session has to be recorded with ``noteUse(of:at:)``.
    func needsNote(of found: AuthenticatedSession, at now: Timestamp) -> Bool {
        if found.token == .unused { return true }
        let session = found.session
        return settings.extendedExpiry(from: session.expiresAt, endingAt: session.endsAt, usedAt: now) != nil
    }

    /// Records that an active session was used, if that changes anything.
    ///
    /// The first use of a new token starts the grace period of the tokens that it has replaced. If there is
    /// an idle lifespan, a use makes the session last longer. Most uses are recorded neither way, so that
    /// authenticating a request doesn't write to the database.
    ///
    /// - Returns: The session with its new expiry date.
    /// - Throws: ``DatabaseError`` if the first use of a token can't be recorded.
    package func noteUse(of found: AuthenticatedSession, at now: Timestamp) async throws
        -> AuthenticatedSession
    {
        if found.token == .unused { try await noteFirstUse(of: found.session.id, at: now) }
        let session = found.session
        guard
            let end = settings.extendedExpiry(from: session.expiresAt, endingAt: session.endsAt, usedAt: now)
        else { return found }
        // A request that can be answered isn't rejected because its use can't be recorded: the session lasts
        // for nearly the whole idle lifespan, and the next request tries again.
        let isExtended = try? await database.transaction { transaction in
            try Self.extend(session.id, afterUseUntil: end, at: now, in: transaction)
        }
        guard isExtended == true else { return found }
        return AuthenticatedSession(
            session: session.expiring(at: end),
            identity: found.identity,
            token: found.token
        )
    }

    /// Records that a new token was used for the first time.
    ///
    /// The tokens that were replaced by the new token expire after a grace period.
    ///
    /// The grace period of 60 seconds is for requests that are still in flight. Concurrent and later calls
    /// have no effect.
    ///
    /// - Throws: ``DatabaseError``.
    private func noteFirstUse(of session: Identifier, at now: Timestamp) async throws {
        try await database.transaction { transaction in
            let noted = try transaction.execute(
                "UPDATE sessions SET token_unused = 0 WHERE id = $1 AND token_unused = 1",
                .identifier(session)
            )
            guard noted == 1 else { return }
            try transaction.execute(
                """
                UPDATE replaced_tokens SET valid_until = $1 WHERE session_id = $2 AND valid_until IS NULL
                """,
                .time(now + Self.grace),
                .identifier(session)
            )
            // The streams that were opened with these tokens now have an end.
            try transaction.publish(.session(session))
        }
    }

    /// Finds a session by its id.
    ///
    /// The session may have ended. Returns `nil` if there is no session with this id.
    ///
    /// - Throws: ``DatabaseError``.
    package func find(_ session: Identifier) async throws -> AuthenticatedSession? {
        try await database.rows(Self.byID, .identifier(session)).first.map(Self.found)
    }

    /// Finds a session by its id in a transaction.
    ///
    /// The session may have ended. Returns `nil` if there is no session with this id.
    ///
    /// - Throws: ``DatabaseError``.
    package static func find(
        _ session: Identifier,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) -> AuthenticatedSession? {
        try transaction.rows(byID, .identifier(session)).first.map(found)
    }

    /// The columns that ``found(_:)`` reads.
    ///
    /// Queries must select them from ``source``.
    static let columns: SQL = """
        s.id, s.identity_id, s.authentications, s.issued_at, s.authenticated_at, s.expires_at, \
        s.needs_certificate, s.device_id, s.ip_address, s.user_agent, s.revoked_at, s.ends_at, \
        s.client_id, c.name, s.parent_id, i.schema_id, i.state, i.body, i.duties, i.agreements
        """

    /// The number of ``columns``, and the index of a column that a query selects after them.
    private static let columnCount = 20

    /// The tables with ``columns``.
    static let source: SQL = """
        sessions s JOIN identities i ON i.id = s.identity_id LEFT JOIN clients c ON c.id = s.client_id
        """

    private static let byID: SQL = """
        SELECT \(columns) FROM \(source) WHERE s.id = $1
        """

    private static let byToken: SQL = """
        SELECT \(columns), s.token_unused FROM \(source) WHERE s.token_hash = $1
        """

    private static let byReplacedToken: SQL = """
        SELECT \(columns), r.valid_until FROM replaced_tokens r JOIN sessions s ON s.id = r.session_id \
        JOIN identities i ON i.id = s.identity_id LEFT JOIN clients c ON c.id = s.client_id \
        WHERE r.token_hash = $1
        """

    /// Reads a session and its identity from ``columns``.
    static func found(_ row: Row) throws(DatabaseError) -> AuthenticatedSession {
        let session = try Session(row: row)
        return AuthenticatedSession(
            session: session,
            identity: IdentityRecord(
                id: session.identityID,
                schemaID: try row.text(15),
                isActive: try row.text(16) == IdentityRecord.active,
                body: try row.blob(17),
                waived: try row.optional(18, as: Row.text),
                agreements: try row.optional(19, as: Row.text)
            )
        )
    }
}
