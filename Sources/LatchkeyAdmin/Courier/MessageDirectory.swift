import LatchkeyModel
import LatchkeyServerKit

/// Reads messages in the outbox for operators.
///
/// Operators can see the recipient, kind and status of a message, but never its contents. Decoys, which the
/// server stores in response to requests about unknown accounts but never sends, are left out.
struct MessageDirectory: Sendable {
    /// The metadata of a message in the outbox.
    struct Entry: Sendable {
        let id: Identifier
        /// The channel, either `sms` or `email`.
        let channel: String
        /// The name of the template, which determines the kind of message.
        let template: String
        /// The normalized phone number or e-mail address.
        let recipient: String
        /// Kratos's name for the status.
        ///
        /// A queued message is `processing` while a worker holds a lease on it.
        let status: String
        /// The number of delivery attempts, including any attempt in progress.
        let attempts: Int64
        let createdAt: Timestamp
        /// When the row of the message was last updated.
        let updatedAt: Timestamp
    }

    /// The columns that contain the properties of an ``Entry``.
    private static let columns: SQL =
        "id, channel, template, recipient, status, attempts, leased_until, created_at, updated_at"

    private static let byID: SQL = """
        SELECT \(columns) \
        FROM messages WHERE id = $1 AND status <> 'decoy'
        """

    private static let all: SQL = """
        SELECT \(columns) \
        FROM messages WHERE id > $1 AND status <> 'decoy' AND ($2 = '' OR $2 = \
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

    /// Creates a directory.
    init(database: any Database) {
        self.database = database
    }

    /// Returns the message with the given id, or `nil` if it doesn't exist or is a decoy.
    ///
    /// - Parameters:
    ///   - id: The message's id.
    ///   - now: The current time. A queued message is `processing` if its lease is valid at this time.
    /// - Returns: The message without its contents.
    /// - Throws: ``DatabaseError``.
    func find(_ id: Identifier, at now: Timestamp) async throws -> Entry? {
        try await database.rows(
            Self.byID,
            .identifier(id)
        ).first.map { row in try Entry(row: row, at: now) }
    }

    /// Returns a page of all messages, sorted by id.
    ///
    /// Decoys are left out.
    ///
    /// - Parameters:
    ///   - request: The requested page.
    ///   - status: Kratos's name for the status to filter by, or an empty string to return all messages.
    ///   - now: The current time. A queued message is `processing` if its lease is valid at this time.
    /// - Returns: The page of messages.
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

    /// Returns a page of the messages that were sent to a recipient, sorted by id.
    ///
    /// Decoys are left out.
    ///
    /// - Parameters:
    ///   - request: The requested page.
    ///   - recipient: The normalized phone number or e-mail address.
    ///   - status: Kratos's name for the status to filter by, or an empty string to return all messages.
    ///   - now: The current time. A queued message is `processing` if its lease is valid at this time.
    /// - Returns: The page of messages.
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
    /// Reads a message from a row that contains ``MessageDirectory/columns``.
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
