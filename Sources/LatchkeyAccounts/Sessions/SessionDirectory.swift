package import LatchkeyModel
package import LatchkeyServerKit

/// Reads pages of sessions, sorted by id.
///
/// Each page starts after the last id of the previous page, so the pages don't shift when sessions start or
/// end in the meantime. Clients can also request a page by number, and we read these pages with an SQL
/// offset.
package struct SessionDirectory: Sendable {
    private let database: any Database

    /// Creates a directory that reads sessions outside of transactions.
    package init(database: any Database) {
        self.database = database
    }

    /// Returns a page of all sessions.
    ///
    /// - Parameters:
    ///   - request: The page to read.
    ///   - isActive: `true` for active sessions only, `false` for ended sessions and sessions of inactive
    ///     identities only, or `nil` for all sessions.
    ///   - now: The current time, which determines whether a session has expired.
    /// - Returns: The page.
    /// - Throws: ``DatabaseError``.
    package func page(_ request: PageRequest, isActive: Bool?, at now: Timestamp) async throws
        -> Page<AuthenticatedSession>
    {
        let found = try await database.rows(
            Self.all,
            .blob(request.key ?? []),
            .integer(Self.code(isActive)),
            .time(now),
            .integer(Int64(request.size + 1))
        ).map(SessionRepository.found)
        return Page(found, for: request) { $0.session.id.bytes }
    }

    /// Returns a page of an identity's sessions.
    ///
    /// - Parameters:
    ///   - identity: The identity's id.
    ///   - request: The page to read, which may be numbered.
    ///   - isActive: `true` for active sessions only, `false` for ended sessions and sessions of inactive
    ///     identities only, or `nil` for all sessions.
    ///   - now: The current time, which determines whether a session has expired.
    /// - Returns: The page.
    /// - Throws: ``DatabaseError``.
    package func page(of identity: Identifier, _ request: PageRequest, isActive: Bool?, at now: Timestamp)
        async throws
        -> Page<AuthenticatedSession>
    {
        let found = try await database.rows(
            Self.ofIdentity,
            .identifier(identity),
            .blob(request.key ?? []),
            .integer(Self.code(isActive)),
            .time(now),
            .integer(Int64(request.size + 1)),
            .integer(Int64(request.offset))
        ).map(SessionRepository.found)
        return Page(found, for: request) { $0.session.id.bytes }
    }

    /// Returns a page of a user's other active full sessions.
    ///
    /// We don't check the identity's state, because the lookup of the current session has already checked it.
    ///
    /// - Parameters:
    ///   - session: The current session, which is left out.
    ///   - request: The page to read, which may be numbered.
    ///   - now: The current time, which determines whether a session has expired.
    /// - Returns: The page.
    /// - Throws: ``DatabaseError``.
    func others(than session: Session, _ request: PageRequest, at now: Timestamp) async throws
        -> Page<AuthenticatedSession>
    {
        let found = try await database.rows(
            Self.ofOthers,
            .identifier(session.identityID),
            .blob(request.key ?? []),
            .identifier(session.id),
            .time(now),
            .integer(Int64(request.size + 1)),
            .integer(Int64(request.offset))
        ).map(SessionRepository.found)
        return Page(found, for: request) { $0.session.id.bytes }
    }

    /// Returns the number of a user's other active full sessions.
    ///
    /// - Throws: ``DatabaseError``.
    func countOthers(than session: Session, at now: Timestamp) async throws -> Int64 {
        try await database.rows(
            """
            SELECT COUNT(*) FROM sessions WHERE identity_id = $1 AND id <> $2 AND revoked_at IS NULL \
            AND expires_at > $3 AND needs_certificate = 0
            """,
            .identifier(session.identityID),
            .identifier(session.id),
            .time(now)
        ).first?.integer(0) ?? 0
    }

    /// Returns the clients of an identity's active sessions, without repetitions, sorted.
    ///
    /// - Throws: ``DatabaseError``.
    package func clientIDs(
        of identity: Identifier,
        at now: Timestamp
    ) async throws(DatabaseError) -> [String] {
        try await database.rows(
            """
            SELECT DISTINCT client_id FROM sessions WHERE identity_id = $1 AND revoked_at IS NULL \
            AND expires_at > $2 AND client_id IS NOT NULL ORDER BY client_id
            """,
            .identifier(identity),
            .time(now)
        ).map { row throws(DatabaseError) in try row.text(0) }
    }

    private static let all: SQL = """
        SELECT \(SessionRepository.columns) \
        FROM \(SessionRepository.source) WHERE s.id > $1 AND ($2 = 2 OR $2 = \
        CASE WHEN s.revoked_at IS NULL AND s.expires_at > $3 AND i.state = 'active' THEN 1 ELSE 0 END) \
        ORDER BY s.id LIMIT $4
        """

    private static let ofIdentity: SQL = """
        SELECT \(SessionRepository.columns) \
        FROM \(SessionRepository.source) WHERE s.identity_id = $1 AND s.id > $2 \
        AND ($3 = 2 OR $3 = \
        CASE WHEN s.revoked_at IS NULL AND s.expires_at > $4 AND i.state = 'active' THEN 1 ELSE 0 END) \
        ORDER BY s.id LIMIT $5 OFFSET $6
        """

    private static let ofOthers: SQL = """
        SELECT \(SessionRepository.columns) \
        FROM \(SessionRepository.source) WHERE s.identity_id = $1 AND s.id > $2 \
        AND s.id <> $3 AND s.revoked_at IS NULL AND s.expires_at > $4 AND s.needs_certificate = 0 \
        ORDER BY s.id LIMIT $5 OFFSET $6
        """

    /// Returns the SQL parameter that selects active sessions (1), inactive sessions (0) or all sessions (2).
    private static func code(_ isActive: Bool?) -> Int64 {
        isActive.map { $0 ? 1 : 0 } ?? 2
    }
}
