import LatchkeyModel

/// Reads the outbox for operators: what was sent to whom and what came of it, never what stood in it.
struct MessageDirectory: Sendable {
    /// A message without its content.
    struct Entry: Sendable {
        let id: Identifier
        let channel: String
        let template: String
        let recipient: String
        let status: String
        let attempts: Int64
        let createdAt: Timestamp
        let updatedAt: Timestamp
    }

    private let database: any Database

    init(_ context: ServerContext) {
        database = context.database
    }

    /// A message; one that only costs what others do is none.
    func find(_ id: Identifier, at now: Timestamp) async throws -> Entry? {
        try await database.rows(
            """
            SELECT id, channel, template, recipient, status, attempts, leased_until, created_at, updated_at \
            FROM messages WHERE id = $1 AND recipient IS NOT NULL AND status <> 'decoy'
            """,
            .identifier(id)
        ).first.map { row in try Entry(row: row, at: now) }
    }

    /// A page of all messages, in the order of their ids.
    ///
    /// - Parameters:
    ///   - request: Which page.
    ///   - status: As Kratos names it; empty for all.
    ///   - now: The time.
    /// - Returns: The page.
    /// - Throws: ``DatabaseError``.
    func page(_ request: PageRequest, status: String, at now: Timestamp) async throws -> Page<Entry> {
        let found = try await database.rows(
            """
            SELECT id, channel, template, recipient, status, attempts, leased_until, created_at, updated_at \
            FROM messages WHERE id > $1 AND recipient IS NOT NULL AND status <> 'decoy' AND ($2 = '' OR $2 = \
            CASE WHEN status = 'queued' AND leased_until > $3 THEN 'processing' ELSE status END) \
            ORDER BY id LIMIT $4
            """,
            .blob(request.key ?? []),
            .text(status),
            .time(now),
            .integer(Int64(request.size + 1))
        ).map { row in try Entry(row: row, at: now) }
        return Page(found, request) { $0.id.bytes }
    }

    /// A page of the messages to somebody, in the order of their ids.
    ///
    /// - Parameters:
    ///   - request: Which page.
    ///   - recipient: The phone number or address.
    ///   - status: As Kratos names it; empty for all.
    ///   - now: The time.
    /// - Returns: The page.
    /// - Throws: ``DatabaseError``.
    func page(_ request: PageRequest, to recipient: String, status: String, at now: Timestamp) async throws
        -> Page<Entry>
    {
        let found = try await database.rows(
            """
            SELECT id, channel, template, recipient, status, attempts, leased_until, created_at, updated_at \
            FROM messages WHERE recipient = $1 AND status <> 'decoy' AND id > $2 AND ($3 = '' OR $3 = \
            CASE WHEN status = 'queued' AND leased_until > $4 THEN 'processing' ELSE status END) \
            ORDER BY id LIMIT $5
            """,
            .text(recipient),
            .blob(request.key ?? []),
            .text(status),
            .time(now),
            .integer(Int64(request.size + 1))
        ).map { row in try Entry(row: row, at: now) }
        return Page(found, request) { $0.id.bytes }
    }
}

extension MessageDirectory.Entry {
    fileprivate init(row: Row, at now: Timestamp) throws(DatabaseError) {
        id = try row.identifier(0)
        channel = try row.text(1)
        template = try row.text(2)
        recipient = try row.text(3)
        let kept = try row.text(4)
        let isUnderWay = try row.time(6) > now
        status = kept == "queued" && isUnderWay ? "processing" : kept
        attempts = try row.integer(5)
        createdAt = try row.time(7)
        updatedAt = try row.time(8)
    }
}
