import LatchkeyModel

/// The outbox: messages that wait, and what became of the others.
///
/// While a message is leased, `due_at` is the end of the lease: when its worker dies, it is due again by itself.
enum MessageRepository {
    /// What a new message is there for.
    enum Purpose: String {
        /// To be sent.
        case queued
        /// To have cost as much as one that is sent.
        case decoy
    }

    /// What became of an attempt.
    enum Outcome: Sendable {
        case sent
        case retry(at: Timestamp, reason: String)
        case abandoned(reason: String)

        var firstAttempt: FirstAttempt {
            switch self {
            case .sent: .sent
            case .retry: .pending
            case .abandoned: .refused
            }
        }
    }

    static func insert(
        _ message: Message,
        about identity: Identifier?,
        sealed: [UInt8],
        _ purpose: Purpose,
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
            // Whom nobody writes to is nobody's business; but what is written to the index takes time, too.
            .text(purpose == .queued ? message.recipient : message.id.description),
            // The same holds for the account.
            .identifier(purpose == .queued ? identity : message.id)
        )
    }

    /// When the next message is due; nothing when none waits.
    static func nextDue(
        _ channel: Message.Channel,
        in database: some Database
    ) async throws(DatabaseError) -> Timestamp? {
        try await database.rows(
            "SELECT due_at FROM messages WHERE status = 'queued' AND channel = $1 ORDER BY due_at LIMIT 1",
            .text(channel.rawValue)
        ).first?.time(0)
    }

    /// Takes the message that has been due for longest, if there is one.
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

    /// The condition stands in the statement itself as well: two nodes may have found the same row.
    ///
    /// In PostgreSQL, where several write at once, each takes another message and does not wait for the rest.
    private static func taking(_ dialect: SQLDialect) -> StaticString {
        switch dialect {
        case .sqlite:
            """
            UPDATE messages SET due_at = $1, leased_until = $1, attempts = attempts + 1, updated_at = $2
            WHERE id = (
                SELECT id FROM messages WHERE status = 'queued' AND channel = $3 AND due_at <= $2
                ORDER BY due_at LIMIT 1
            ) AND status = 'queued' AND due_at <= $2
            RETURNING id, channel, template, sealed, attempts
            """
        case .postgreSQL:
            """
            UPDATE messages SET due_at = $1, leased_until = $1, attempts = attempts + 1, updated_at = $2
            WHERE id = (
                SELECT id FROM messages WHERE status = 'queued' AND channel = $3 AND due_at <= $2
                ORDER BY due_at LIMIT 1 FOR UPDATE SKIP LOCKED
            ) AND status = 'queued' AND due_at <= $2
            RETURNING id, channel, template, sealed, attempts
            """
        }
    }

    /// Writes down what became of an attempt, unless the lease was lost; what is over keeps no content.
    static func settle(
        _ leased: LeasedMessage,
        _ outcome: Outcome,
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
            try finish(leased, "sent", nil, at: now, in: transaction)
        case .abandoned(let reason):
            try finish(leased, "abandoned", reason, at: now, in: transaction)
        }
    }

    private static func finish(
        _ leased: LeasedMessage,
        _ status: String,
        _ reason: String?,
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

    /// What became of the first attempt; nothing while it has not ended.
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

    /// Deletes what was over before a time, and decoys of that age; tells how many.
    static func deleteFinished(
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
