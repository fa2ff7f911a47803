package import LatchkeyModel
package import LatchkeyServerKit

/// The audit log of all accounts.
///
/// Rows are immutable. The rows of a deleted account remain until their retention period ends.
///
/// Failed attempts are sampled, so an attacker cannot fill the log.
package struct AuditLog: Sendable {
    /// Derives the keyed hashes that replace identifiers and addresses.
    package let trace: AuditTrace

    private let random: any RandomSource

    /// Creates a log.
    ///
    /// - Parameters:
    ///   - trace: Derives the keyed hashes that replace identifiers and addresses.
    ///   - random: The random source for the ids of events.
    package init(trace: AuditTrace, random: any RandomSource) {
        self.trace = trace
        self.random = random
    }

    /// Returns the hash that replaces a normalized identifier or address in the log.
    package func hash(_ identifier: String) -> String {
        trace.hash(identifier)
    }

    /// Creates an event.
    ///
    /// - Parameters:
    ///   - action: The action.
    ///   - identity: The id of the account.
    ///   - actor: The kind of caller; the user by default.
    ///   - context: The request that caused the action.
    ///   - subject: The object of the action, such as a session id; `nil` if the action concerns the account
    ///     as a whole.
    ///   - now: The time of the action.
    /// - Returns: The event, which the caller stores in the transaction of the action.
    package func event(
        _ action: AuditAction,
        of identity: Identifier,
        by actor: AuditEvent.Actor = .user,
        in context: RequestContext,
        about subject: String? = nil,
        at now: Timestamp
    ) -> AuditEvent {
        AuditEvent(action, of: identity, by: actor, in: context, about: subject, at: now, random: random)
    }

    /// Creates an event for an action that no request caused.
    ///
    /// - Parameters:
    ///   - action: The action.
    ///   - identity: The id of the account.
    ///   - actor: The kind of caller.
    ///   - subject: The object of the action; `nil` if the action concerns the account as a whole.
    ///   - now: The time of the action.
    /// - Returns: The event, which the caller stores in the transaction of the action.
    package func event(
        _ action: AuditAction,
        of identity: Identifier,
        by actor: AuditEvent.Actor,
        about subject: String? = nil,
        at now: Timestamp
    ) -> AuditEvent {
        AuditEvent(action, of: identity, by: actor, about: subject, at: now, random: random)
    }

    /// The position of a page in the log: the event that immediately precedes the page when events are sorted
    /// from newest to oldest.
    package struct Position: Hashable, Sendable {
        /// The time of the event.
        package let time: Timestamp
        /// The id of the event, which distinguishes it from other events with the same time.
        package let id: Identifier

        /// Creates a position; there need not be an event with these values.
        package init(time: Timestamp, id: Identifier) {
            self.time = time
            self.id = id
        }
    }

    /// The columns of an event, in the order in which ``AuditEvent`` is read.
    private static let columns: SQL =
        "happened_at, id, identity_id, actor, action, subject, address, request_id"

    private static let insertion: SQL =
        "INSERT INTO audit (\(columns)) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)"

    private static let eventsOfIdentity: SQL = """
        SELECT \(columns) FROM audit \
        WHERE identity_id = $1 AND (happened_at, id) < ($2, $3) ORDER BY happened_at DESC, id DESC LIMIT $4
        """

    private static let allEvents: SQL = """
        SELECT \(columns) FROM audit \
        WHERE (happened_at, id) < ($1, $2) ORDER BY happened_at DESC, id DESC LIMIT $3
        """

    /// Stores an event in the same transaction as the audited action.
    ///
    /// - Parameters:
    ///   - event: The event; its id must be new.
    ///   - transaction: The transaction of the action.
    /// - Throws: ``DatabaseError``.
    package static func append(
        _ event: AuditEvent,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) {
        try transaction.execute(
            insertion,
            .time(event.time),
            .identifier(event.id),
            .identifier(event.identityID),
            .text(event.actor.rawValue),
            .text(event.action.rawValue),
            .optional(event.subject),
            .optional(event.address),
            .optional(event.requestID)
        )
    }

    /// Deletes the events before a given time, oldest first.
    ///
    /// The caller repeats the call in new transactions until it deletes fewer than `limit` events.
    ///
    /// - Parameters:
    ///   - time: The current time minus the retention period; older events are deleted.
    ///   - limit: The maximum number of events to delete.
    ///   - transaction: The transaction that deletes the events.
    /// - Returns: The number of deleted events.
    /// - Throws: ``DatabaseError``.
    package static func deleteEvents(
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

    /// Returns the events for an account, newest first, even if the account was deleted.
    ///
    /// - Parameters:
    ///   - identity: The id of the account.
    ///   - position: The last event of the previous page; `nil` for the first page.
    ///   - limit: The maximum number of events.
    ///   - database: The database to read from.
    /// - Returns: The events; fewer than `limit` on the last page.
    /// - Throws: ``DatabaseError``.
    package static func events(
        of identity: Identifier,
        after position: Position? = nil,
        limit: Int,
        in database: any Database
    ) async throws -> [AuditEvent] {
        try await database.rows(
            eventsOfIdentity,
            .identifier(identity),
            .time((position ?? .end).time),
            .identifier((position ?? .end).id),
            .integer(Int64(limit))
        ).map(AuditEvent.init(row:))
    }

    /// Returns the events for all accounts, newest first.
    ///
    /// - Parameters:
    ///   - position: The last event of the previous page; `nil` for the first page.
    ///   - limit: The maximum number of events.
    ///   - database: The database to read from.
    /// - Returns: The events; fewer than `limit` on the last page.
    /// - Throws: ``DatabaseError``.
    package static func events(
        after position: Position? = nil,
        limit: Int,
        in database: any Database
    ) async throws -> [AuditEvent] {
        try await database.rows(
            allEvents,
            .time((position ?? .end).time),
            .identifier((position ?? .end).id),
            .integer(Int64(limit))
        ).map(AuditEvent.init(row:))
    }
}

extension AuditLog.Position {
    /// A position before the newest possible event, from which the first page is read.
    fileprivate static let end = AuditLog.Position(
        time: Timestamp(microseconds: .max),
        id: Identifier(high: .max, low: .max)
    )
}
