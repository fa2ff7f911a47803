import LatchkeyModel
package import LatchkeyServerKit

/// Reads the metadata of messages in the outbox for operators: recipient, kind and status, but never the
/// content.
///
/// Decoys, which the server stores for requests about unknown accounts and never sends, are left out of all
/// results.
package struct MessageDirectory: Sendable {
    /// A message without its content.
    struct Entry: Sendable {
        let id: Identifier
        /// The channel, `sms` or `email`.
        let channel: String
        /// The stored name of the template, which determines the kind of message.
        let template: String
        /// The normalized phone number or e-mail address.
        let recipient: String
        /// The status with Kratos's name; a queued message whose lease has not expired is `processing`.
        let status: String
        /// The number of delivery attempts, including the one in progress.
        let attempts: Int64
        let createdAt: Timestamp
        /// The time of the last change of the row.
        let updatedAt: Timestamp
    }

    /// The columns from which an entry is read.
    private static let columns: SQL =
        "id, channel, template, recipient, status, attempts, leased_until, created_at, updated_at"

    private static let byID: SQL = """
        SELECT \(columns) \
        FROM messages WHERE id = $1 AND recipient IS NOT NULL AND status <> 'decoy'
        """

    private static let all: SQL = """
        SELECT \(columns) \
        FROM messages WHERE id > $1 AND recipient IS NOT NULL AND status <> 'decoy' AND ($2 = '' OR $2 = \
        CASE WHEN status = 'queued' AND leased_until > $3 THEN 'processing' ELSE status END) \
        ORDER BY id LIMIT $4
        """

    private static let toRecipient: SQL = """
        SELECT \(columns) \
        FROM messages WHERE recipient = $1 AND status <> 'decoy' AND id > $2 AND ($3 = '' OR $3 = \
        CASE WHEN status = 'queued' AND leased_until > $4 THEN 'processing' ELSE status END) \
        ORDER BY id LIMIT $5
        """

    private let database: any Database

    /// Creates a directory; messages of versions without stored recipients are not found.
    package init(database: any Database) {
        self.database = database
    }

    /// Finds a message by its id; returns `nil` if there is none or it is a decoy.
    ///
    /// - Parameters:
    ///   - id: The id of the message.
    ///   - now: The current time, which decides whether a queued message is leased and shown as `processing`.
    /// - Returns: The message without its content.
    /// - Throws: ``DatabaseError``.
    func find(_ id: Identifier, at now: Timestamp) async throws -> Entry? {
        try await database.rows(
            Self.byID,
            .identifier(id)
        ).first.map { row in try Entry(row: row, at: now) }
    }

    /// Returns a page of all messages, sorted by id; decoys are left out.
    ///
    /// - Parameters:
    ///   - request: The requested page.
    ///   - status: The status to filter by, with Kratos's name; empty for all.
    ///   - now: The current time, which decides whether a queued message is leased and shown as `processing`.
    /// - Returns: The page.
    /// - Throws: ``DatabaseError``.
    func page(_ request: PageRequest, status: String, at now: Timestamp) async throws -> Page<Entry> {
        let found = try await database.rows(
            Self.all,
            .blob(request.key ?? []),
            .text(status),
            .time(now),
            .integer(Int64(request.size + 1))
        ).map { row in try Entry(row: row, at: now) }
        return Page(found, for: request) { $0.id.bytes }
    }

    /// Returns a page of the messages to one recipient, sorted by id; decoys are left out.
    ///
    /// - Parameters:
    ///   - request: The requested page.
    ///   - recipient: The normalized phone number or e-mail address.
    ///   - status: The status to filter by, with Kratos's name; empty for all.
    ///   - now: The current time, which decides whether a queued message is leased and shown as `processing`.
    /// - Returns: The page.
    /// - Throws: ``DatabaseError``.
    func page(_ request: PageRequest, to recipient: String, status: String, at now: Timestamp) async throws
        -> Page<Entry>
    {
        let found = try await database.rows(
            Self.toRecipient,
            .text(recipient),
            .blob(request.key ?? []),
            .text(status),
            .time(now),
            .integer(Int64(request.size + 1))
        ).map { row in try Entry(row: row, at: now) }
        return Page(found, for: request) { $0.id.bytes }
    }
}

extension MessageDirectory.Entry {
    /// Reads a message from a row of ``MessageDirectory/columns``.
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
