package import LatchkeyModel
package import LatchkeyServerKit

/// The outbox, which stores the messages to send and the outcomes of those that were sent or abandoned.
///
/// While a message is leased, `due_at` is the time at which the lease expires. If the worker crashes, the
/// message becomes due again without any cleanup.
package enum MessageRepository {
    /// The initial status of a message.
    enum Purpose: String {
        case queued
        /// The message is never sent, but storing it takes as much work as storing a real message.
        case decoy
    }

    /// The outcome of an attempt to send a message.
    enum Outcome: Sendable {
        /// The provider has accepted the message.
        case sent
        /// The attempt failed. The next attempt is due at the given time. The reason is stored with the
        /// message.
        case retry(at: Timestamp, reason: String)
        /// The message won't be sent again. The reason is stored with the message.
        case abandoned(reason: String)

        /// The outcome as reported to callers that are waiting for the first attempt.
        var firstAttempt: FirstAttempt {
            switch self {
            case .sent: .sent
            case .retry: .pending
            case .abandoned: .refused
            }
        }
    }

    /// Stores a message.
    ///
    /// - Parameters:
    ///   - message: The message. The metadata is stored in plain text, but the content is stored only in
    ///     encrypted form (`sealed`).
    ///   - identity: The account that the message is about, or `nil` if there is none.
    ///   - sealed: The content, encrypted with ``MessageSealer``.
    ///   - purpose: Whether the message will be sent or is a decoy.
    ///   - now: The creation time.
    ///   - due: The earliest time at which to try to send the message.
    ///   - transaction: The transaction for storing the message.
    /// - Throws: ``DatabaseError``.
    static func insert(
        _ message: Message,
        about identity: Identifier?,
        sealed: [UInt8],
        as purpose: Purpose,
        at now: Timestamp,
        due: Timestamp,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) {
        try transaction.execute(
            """
            INSERT INTO messages (
                id, channel, template, sealed, status, attempts, due_at, leased_until, created_at, updated_at,
                recipient, identity_id
            ) VALUES ($1, $2, $3, $4, $5, 0, $6, 0, $7, $7, $8, $9)
            """,
            .identifier(message.id),
            .text(message.channel.rawValue),
            .text(message.template),
            .blob(sealed),
            .text(purpose.rawValue),
            .time(due),
            .time(now),
            // A decoy uses its own id as the recipient. The id isn't personal data, but indexing it takes as
            // much work as indexing an address.
            .text(purpose == .queued ? message.recipient : message.id.description),
            // A decoy also uses its own id as the account, because indexing that id takes as much work as
            // indexing an account's id.
            .identifier(purpose == .queued ? identity : message.id)
        )
    }

    /// Returns the time at which the channel's next queued message is due, or `nil` if there are no queued
    /// messages.
    ///
    /// If a message is already due, this time is in the past. A leased message is due when its lease expires.
    static func nextDue(
        _ channel: Message.Channel,
        in database: some Database
    ) async throws(DatabaseError) -> Timestamp? {
        try await database.rows(
            "SELECT due_at FROM messages WHERE status = 'queued' AND channel = $1 ORDER BY due_at LIMIT 1",
            .text(channel.rawValue)
        ).first?.time(0)
    }

    /// Makes messages due that were scheduled or leased more than ``skew`` later than now, because the clock
    /// was set back.
    ///
    /// Otherwise, they would wait until the clock has caught up. A smaller difference may be that between the
    /// clocks of two nodes, and ending a lease or a pause that is still valid would send a message too early.
    ///
    /// - Returns: Whether there were such messages.
    /// - Throws: ``DatabaseError``.
    static func recallFuture(
        _ channel: Message.Channel,
        at now: Timestamp,
        in database: some Database
    ) async throws -> Bool {
        let values: [SQLValue] = [.time(now), .text(channel.rawValue), .time(now + skew)]
        let found = try await database.rows("SELECT 1 \(scheduledLater) LIMIT 1", values)
        guard !found.isEmpty else { return false }
        return try await database.transaction { transaction in
            try transaction.execute(
                """
                UPDATE messages SET due_at = $1, leased_until = 0, updated_at = $1, \
                created_at = CASE WHEN created_at > $1 THEN $1 ELSE created_at END \
                WHERE id IN (SELECT id \(scheduledLater))
                """,
                values: values
            ) > 0
        }
    }

    /// How far the clocks of two nodes may be apart.
    private static let skew: Duration = .seconds(60)

    private static let scheduledLater: SQL = """
        FROM messages WHERE status = 'queued' AND channel = $2 AND due_at > $1 \
        AND updated_at > $3
        """

    /// Leases the message in the channel that became due first, and increments its number of attempts.
    ///
    /// On PostgreSQL, concurrent callers lease different messages, because each one skips the rows that
    /// others have locked.
    ///
    /// - Parameters:
    ///   - channel: The channel.
    ///   - now: The current time. Messages that become due later are not leased.
    ///   - end: When the lease expires.
    ///   - transaction: The transaction for acquiring the lease, which takes effect on commit.
    /// - Returns: The message, or `nil` if none is due.
    /// - Throws: ``DatabaseError``.
    static func take(
        _ channel: Message.Channel,
        at now: Timestamp,
        until end: Timestamp,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) -> LeasedMessage? {
        let rows = try transaction.rows(
            taking(transaction.dialect),
            .time(end),
            .time(now),
            .text(channel.rawValue)
        )
        guard let row = rows.first else { return nil }
        return LeasedMessage(
            id: try row.identifier(0),
            channel: try row.text(1),
            template: try row.text(2),
            sealed: try row.blob(3),
            attempt: Int(try row.integer(4)),
            until: end
        )
    }

    /// Returns the SQL statement that leases a message.
    ///
    /// The condition is repeated outside the subquery because two nodes may have selected the same row.
    /// PostgreSQL can have several writers at a time, so the statement for PostgreSQL skips rows that other
    /// writers have locked instead of waiting for them.
    private static func taking(_ dialect: SQLDialect) -> SQL {
        switch dialect {
        case .sqlite: takingInSQLite
        case .postgreSQL: takingInPostgreSQL
        }
    }

    private static let takingInSQLite: SQL = "\(leaseBeforeLock) \(leaseAfterLock)"
    private static let takingInPostgreSQL: SQL = "\(leaseBeforeLock) FOR UPDATE SKIP LOCKED \(leaseAfterLock)"

    private static let leaseBeforeLock: SQL = """
        UPDATE messages SET due_at = $1, leased_until = $1, attempts = attempts + 1, updated_at = $2 \
        WHERE id = (SELECT id FROM messages WHERE status = 'queued' AND channel = $3 AND due_at <= $2 \
        ORDER BY due_at LIMIT 1
        """

    private static let leaseAfterLock: SQL = """
        ) AND status = 'queued' AND due_at <= $2 RETURNING id, channel, template, sealed, attempts
        """

    /// Records the outcome of an attempt unless the lease was lost.
    ///
    /// The content of sent and abandoned messages is erased.
    ///
    /// For a finished message, `due_at` is set to the time of the outcome, which is
    /// the start of its retention period; see ``deleteFinished(before:atMost:in:)``.
    ///
    /// - Parameters:
    ///   - leased: The leased message.
    ///   - outcome: The outcome of the attempt.
    ///   - now: The time at which the attempt ended.
    ///   - transaction: The transaction for recording the outcome.
    /// - Throws: ``DatabaseError``.
    static func settle(
        _ leased: LeasedMessage,
        as outcome: Outcome,
        at now: Timestamp,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) {
        switch outcome {
        case .retry(let time, let reason):
            try transaction.execute(
                """
                UPDATE messages SET due_at = $1, leased_until = 0, last_error = $2, updated_at = $3
                WHERE id = $4 AND leased_until = $5 AND status = 'queued'
                """,
                .time(time),
                .text(reason),
                .time(now),
                .identifier(leased.id),
                .time(leased.until)
            )
        case .sent:
            try finish(leased, as: "sent", reason: nil, at: now, in: transaction)
        case .abandoned(let reason):
            try finish(leased, as: "abandoned", reason: reason, at: now, in: transaction)
        }
    }

    /// Makes a leased message due again without counting an attempt, unless the lease was lost.
    ///
    /// - Parameters:
    ///   - leased: A message that the worker hasn't tried to send.
    ///   - now: The current time.
    ///   - transaction: The transaction for giving back the lease.
    /// - Throws: ``DatabaseError``.
    static func giveBack(
        _ leased: LeasedMessage,
        at now: Timestamp,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) {
        try transaction.execute(
            """
            UPDATE messages SET due_at = $1, leased_until = 0, attempts = attempts - 1, updated_at = $1
            WHERE id = $2 AND leased_until = $3 AND status = 'queued'
            """,
            .time(now),
            .identifier(leased.id),
            .time(leased.until)
        )
    }

    /// Sets the final status of a leased message and erases its content, unless the lease was lost.
    private static func finish(
        _ leased: LeasedMessage,
        as status: String,
        reason: String?,
        at now: Timestamp,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) {
        try transaction.execute(
            """
            UPDATE messages
            SET status = $1, last_error = $2, sealed = NULL, leased_until = 0, due_at = $3, updated_at = $3
            WHERE id = $4 AND leased_until = $5 AND status = 'queued'
            """,
            .text(status),
            .optional(reason),
            .time(now),
            .identifier(leased.id),
            .time(leased.until)
        )
    }

    /// Returns the outcome of the first attempt.
    ///
    /// Returns `nil` if the attempt hasn't finished, or if the message doesn't exist or is a decoy.
    ///
    /// - Throws: ``DatabaseError``.
    static func firstAttempt(
        of id: Identifier,
        in database: some Database
    ) async throws(DatabaseError) -> FirstAttempt? {
        let rows = try await database.rows(
            "SELECT status, attempts, leased_until FROM messages WHERE id = $1",
            .identifier(id)
        )
        guard let row = rows.first else { return nil }
        switch try row.text(0) {
        case "sent": return .sent
        case "abandoned": return .refused
        default:
            let (attempts, lease) = (try row.integer(1), try row.integer(2))
            return attempts > 0 && lease == 0 ? .pending : nil
        }
    }

    /// Deletes a batch of old messages: those that were sent or abandoned before the given time, and decoys
    /// that were due before it.
    ///
    /// - Parameters:
    ///   - time: Messages that were finished before this time are deleted.
    ///   - limit: The maximum number of rows to delete.
    ///   - transaction: The transaction for deleting the messages.
    /// - Returns: The number of deleted rows. If this is less than `limit`, there are no more messages to
    ///   delete.
    /// - Throws: ``DatabaseError``.
    package static func deleteFinished(
        before time: Timestamp,
        atMost limit: Int,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) -> Int {
        try transaction.execute(
            """
            DELETE FROM messages WHERE id IN (
                SELECT id FROM messages
                WHERE status IN ('sent', 'abandoned', 'decoy') AND channel IN ('sms', 'email') AND due_at < $1
                LIMIT $2
            )
            """,
            .time(time),
            .integer(Int64(limit))
        )
    }
}

extension MessageRepository {
    /// A message's metadata, without its content.
    package struct Summary: Sendable {
        /// The raw value of the message's kind.
        package let template: String
        /// The raw value of the message's channel.
        package let channel: String
        /// The recipient's address.
        package let recipient: String
        /// The message's status, such as `queued` or `sent`.
        package let status: String
        package let createdAt: Timestamp
    }

    /// Returns the metadata of all stored messages about an account, oldest first.
    ///
    /// Decoys are not included.
    ///
    /// - Throws: ``DatabaseError``.
    package static func summaries(
        about identity: Identifier,
        in database: any Database
    ) async throws -> [Summary] {
        try await database.rows(
            """
            SELECT template, channel, recipient, status, created_at FROM messages \
            WHERE identity_id = $1 AND status <> 'decoy' ORDER BY created_at, id
            """,
            .identifier(identity)
        ).map { row in
            Summary(
                template: try row.text(0),
                channel: try row.text(1),
                recipient: try row.text(2),
                status: try row.text(3),
                createdAt: try row.time(4)
            )
        }
    }

    /// Deletes all messages that are about an account or addressed to it, whatever their status.
    ///
    /// - Parameters:
    ///   - identity: The account's id.
    ///   - recipients: The account's normalized addresses.
    ///   - transaction: The transaction for deleting the messages.
    /// - Throws: ``DatabaseError``.
    package static func delete(
        about identity: Identifier,
        to recipients: [String],
        in transaction: borrowing Transaction
    ) throws(DatabaseError) {
        try transaction.execute("DELETE FROM messages WHERE identity_id = $1", .identifier(identity))
        for recipient in recipients {
            try transaction.execute("DELETE FROM messages WHERE recipient = $1", .text(recipient))
        }
    }

    /// Returns the number of queued messages on each channel and the creation time of the oldest one.
    ///
    /// Channels are left out if they have no queued messages, or if this version of the server doesn't know
    /// them. Decoys are not counted.
    ///
    /// - Throws: ``DatabaseError``.
    package static func queued(in database: any Database) async throws
        -> [Message.Channel: (count: Int64, oldest: Timestamp)]
    {
        var queued: [Message.Channel: (count: Int64, oldest: Timestamp)] = [:]
        let rows = try await database.rows(
            "SELECT channel, COUNT(*), MIN(created_at) FROM messages WHERE status = 'queued' GROUP BY channel"
        )
        for row in rows {
            guard let channel = Message.Channel(rawValue: try row.text(0)) else { continue }
            queued[channel] = (try row.integer(1), try row.time(2))
        }
        return queued
    }
}
