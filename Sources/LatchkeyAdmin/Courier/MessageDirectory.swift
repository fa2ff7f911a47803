import LatchkeyModel
package import LatchkeyServerKit

/// Reads the recipient, the kind and the status of messages in the outbox for operators, but never the
/// content.
///
/// All results omit decoys, which the server stores for requests about unknown accounts and never sends.
package struct MessageDirectory: Sendable {
    /// The metadata of a message in the outbox.
    struct Entry: Sendable {
        let id: Identifier
        /// The channel of the message, which is `sms` or `email`.
        let channel: String
        /// The stored name of the template, which determines the kind of message.
        let template: String
        /// The normalized phone number or e-mail address.
        let recipient: String
        /// Kratos's name for the status, which is `processing` for a queued message whose lease has not
        /// expired.
        let status: String
        /// The number of delivery attempts, including the one in progress.
        let attempts: Int64
        let createdAt: Timestamp
        /// The time at which the message's row was last updated.
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

    /// Creates a directory, which omits messages that older versions of the server stored without a
    /// recipient.
    package init(database: any Database) {
        self.database = database
    }

    /// Finds a message by its id, or returns `nil` if it does not exist or is a decoy.
    ///
    /// - Parameters:
    ///   - id: The id of the message.
    ///   - now: The current time, which determines whether a queued message is leased and therefore
    ///     `processing`.
    /// - Returns: The message without its content.
    /// - Throws: ``DatabaseError``.
    func find(_ id: Identifier, at now: Timestamp) async throws -> Entry? {
        try await database.rows(
            Self.byID,
            .identifier(id)
        ).first.map { row in try Entry(row: row, at: now) }
    }

    /// Returns a page of all messages except decoys, sorted by id.
    ///
    /// - Parameters:
    ///   - request: The requested page.
    ///   - status: Kratos's name for the status to filter by; an empty string selects all messages.
    ///   - now: The current time, which determines whether a queued message is leased and therefore
    ///     `processing`.
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

    /// Returns a page of the messages to one recipient except decoys, sorted by id.
    ///
    /// - Parameters:
    ///   - request: The requested page.
    ///   - recipient: The normalized phone number or e-mail address.
    ///   - status: Kratos's name for the status to filter by; an empty string selects all messages.
    ///   - now: The current time, which determines whether a queued message is leased and therefore
    ///     `processing`.
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
