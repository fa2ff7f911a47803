import LatchkeyModel

/// Reads sessions for operators, page by page in the order of their ids.
struct SessionDirectory: Sendable {
    private let database: any Database

    init(_ context: ServerContext) {
        database = context.database
    }

    /// A page of all sessions.
    ///
    /// - Parameters:
    ///   - request: Which page.
    ///   - isActive: Only those that can be used, or only those that cannot; nothing for both.
    ///   - now: The time.
    /// - Returns: The page.
    /// - Throws: ``DatabaseError``.
    func page(_ request: PageRequest, isActive: Bool?, at now: Timestamp) async throws
        -> Page<SessionRepository.Found>
    {
        let found = try await database.rows(
            """
            SELECT s.id, s.identity_id, s.method, s.issued_at, s.authenticated_at, s.expires_at, \
            s.needs_certificate, s.device_id, s.ip_address, s.user_agent, s.revoked_at, \
            i.schema_id, i.state, i.body \
            FROM sessions s JOIN identities i ON i.id = s.identity_id WHERE s.id > $1 AND ($2 = 2 OR $2 = \
            CASE WHEN s.revoked_at IS NULL AND s.expires_at > $3 AND i.state = 'active' THEN 1 ELSE 0 END) \
            ORDER BY s.id LIMIT $4
            """,
            .blob(request.key ?? []),
            .integer(Self.code(isActive)),
            .time(now),
            .integer(Int64(request.size + 1))
        ).map(SessionRepository.found)
        return Page(found, request) { $0.session.id.bytes }
    }

    /// A page of the sessions of an identity.
    ///
    /// - Parameters:
    ///   - identity: The identity.
    ///   - request: Which page.
    ///   - isActive: Only those that can be used, or only those that cannot; nothing for both.
    ///   - now: The time.
    /// - Returns: The page.
    /// - Throws: ``DatabaseError``.
    func page(of identity: Identifier, _ request: PageRequest, isActive: Bool?, at now: Timestamp)
        async throws
        -> Page<SessionRepository.Found>
    {
        let found = try await database.rows(
            """
            SELECT s.id, s.identity_id, s.method, s.issued_at, s.authenticated_at, s.expires_at, \
            s.needs_certificate, s.device_id, s.ip_address, s.user_agent, s.revoked_at, \
            i.schema_id, i.state, i.body \
            FROM sessions s JOIN identities i ON i.id = s.identity_id WHERE s.identity_id = $1 AND s.id > $2 \
            AND ($3 = 2 OR $3 = \
            CASE WHEN s.revoked_at IS NULL AND s.expires_at > $4 AND i.state = 'active' THEN 1 ELSE 0 END) \
            ORDER BY s.id LIMIT $5 OFFSET $6
            """,
            .identifier(identity),
            .blob(request.key ?? []),
            .integer(Self.code(isActive)),
            .time(now),
            .integer(Int64(request.size + 1)),
            .integer(Int64(request.offset))
        ).map(SessionRepository.found)
        return Page(found, request) { $0.session.id.bytes }
    }

    /// A page of somebody's other sessions that can be used.
    ///
    /// - Parameters:
    ///   - session: The session that asks.
    ///   - request: Which page.
    ///   - now: The time.
    /// - Returns: The page.
    /// - Throws: ``DatabaseError``.
    func others(than session: Session, _ request: PageRequest, at now: Timestamp) async throws
        -> Page<SessionRepository.Found>
    {
        let found = try await database.rows(
            """
            SELECT s.id, s.identity_id, s.method, s.issued_at, s.authenticated_at, s.expires_at, \
            s.needs_certificate, s.device_id, s.ip_address, s.user_agent, s.revoked_at, \
            i.schema_id, i.state, i.body \
            FROM sessions s JOIN identities i ON i.id = s.identity_id WHERE s.identity_id = $1 AND s.id > $2 \
            AND s.id <> $3 AND s.revoked_at IS NULL AND s.expires_at > $4 AND s.needs_certificate = 0 \
            ORDER BY s.id LIMIT $5 OFFSET $6
            """,
            .identifier(session.identityID),
            .blob(request.key ?? []),
            .identifier(session.id),
            .time(now),
            .integer(Int64(request.size + 1)),
            .integer(Int64(request.offset))
        ).map(SessionRepository.found)
        return Page(found, request) { $0.session.id.bytes }
    }

    /// How many of somebody's other sessions can be used.
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

    private static func code(_ isActive: Bool?) -> Int64 {
        isActive.map { $0 ? 1 : 0 } ?? 2
    }
}
