package import LatchkeyModel

/// Who did what to which account: rows that are never changed, and that outlive the account.
///
/// Failures are sampled, so that an attacker does not fill the log.
package enum AuditLog {
    /// Where a page of the log begins: after this event, towards the past.
    package struct Position: Hashable, Sendable {
        package let time: Timestamp
        package let id: Identifier

        package init(time: Timestamp, id: Identifier) {
            self.time = time
            self.id = id
        }
    }

    /// Writes an event down, in the transaction of the deed itself.
    package static func append(
        _ event: AuditEvent,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) {
        try transaction.execute(
            """
            INSERT INTO audit (happened_at, id, identity_id, actor, deed, subject, address, request_id) \
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
            """,
            .time(event.time),
            .identifier(event.id),
            .identifier(event.identityID),
            .text(event.actor.rawValue),
            .text(event.deed.rawValue),
            .optional(event.subject),
            .optional(event.address),
            .optional(event.requestID)
        )
    }

    /// Deletes the events before a time, the oldest first.
    ///
    /// - Returns: The number of deleted events.
    static func deleteEvents(
        before time: Timestamp,
        atMost limit: Int,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) -> Int {
        try transaction.execute(
            """
            DELETE FROM audit WHERE (happened_at, id) IN (SELECT happened_at, id FROM audit \
            WHERE happened_at < $1 ORDER BY happened_at, id LIMIT $2)
            """,
            .time(time),
            .integer(Int64(limit))
        )
    }

    /// Reads what was done to an account, also one that is no more; the latest first.
    ///
    /// - Parameters:
    ///   - identity: The account.
    ///   - position: The event after which to go on; nothing for the latest.
    ///   - limit: How many events at most.
    ///   - database: The database.
    /// - Returns: The events.
    /// - Throws: ``DatabaseError``.
    package static func events(
        of identity: Identifier,
        after position: Position? = nil,
        limit: Int,
        in database: any Database
    ) async throws -> [AuditEvent] {
        try await database.rows(
            """
            SELECT happened_at, id, identity_id, actor, deed, subject, address, request_id FROM audit \
            WHERE identity_id = $1 AND (happened_at, id) < ($2, $3) ORDER BY happened_at DESC, id DESC LIMIT $4
            """,
            .identifier(identity),
            .time((position ?? .end).time),
            .identifier((position ?? .end).id),
            .integer(Int64(limit))
        ).map(AuditEvent.init(row:))
    }

    /// Reads what was done to all accounts, the latest first.
    ///
    /// - Parameters:
    ///   - position: The event after which to go on; nothing for the latest.
    ///   - limit: How many events at most.
    ///   - database: The database.
    /// - Returns: The events.
    /// - Throws: ``DatabaseError``.
    package static func events(
        after position: Position? = nil,
        limit: Int,
        in database: any Database
    ) async throws -> [AuditEvent] {
        try await database.rows(
            """
            SELECT happened_at, id, identity_id, actor, deed, subject, address, request_id FROM audit \
            WHERE (happened_at, id) < ($1, $2) ORDER BY happened_at DESC, id DESC LIMIT $3
            """,
            .time((position ?? .end).time),
            .identifier((position ?? .end).id),
            .integer(Int64(limit))
        ).map(AuditEvent.init(row:))
    }
}

extension AuditLog.Position {
    /// Later than all events.
    fileprivate static let end = AuditLog.Position(
        time: Timestamp(microseconds: .max),
        id: Identifier(high: .max, low: .max)
    )
}
