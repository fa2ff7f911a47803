package import LatchkeyModel
package import LatchkeyServerKit

/// The audit log for all accounts.
///
/// Events are never modified. The log keeps events until their retention period ends, even if the account is
/// deleted before then.
///
/// Not every failed attempt is logged, so that an attacker can't fill the log.
package struct AuditLog: Sendable {
    /// Derives the keyed hashes that we store instead of identifiers and addresses.
    package let trace: AuditTrace

    private let random: any RandomSource

    /// Creates an audit log.
    ///
    /// - Parameters:
    ///   - trace: Derives the keyed hashes that we store instead of identifiers and addresses.
    ///   - random: The source of randomness for the ids of events.
    package init(trace: AuditTrace, random: any RandomSource) {
        self.trace = trace
        self.random = random
    }

    /// Returns the hash that we store instead of a normalized identifier or address.
    package func hash(_ identifier: String) -> String {
        trace.hash(identifier)
    }

    /// Creates an event for an action that a request caused.
    ///
    /// - Parameters:
    ///   - action: The action to record.
    ///   - identity: The account's id.
    ///   - actor: The kind of caller. By default, the caller is the user.
    ///   - context: The request that caused the action.
    ///   - subject: The subject of the action, such as a session id, or `nil` if the action affects the whole
    ///     account.
    ///   - now: The time of the action.
    /// - Returns: The event, which the caller must store in the same transaction as the action.
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

    /// Creates an event for an action that wasn't caused by a request.
    ///
    /// - Parameters:
    ///   - action: The action to record.
    ///   - identity: The account's id.
    ///   - actor: The kind of caller.
    ///   - subject: The subject of the action, or `nil` if the action affects the whole account.
    ///   - now: The time of the action.
    /// - Returns: The event, which the caller must store in the same transaction as the action.
    package func event(
        _ action: AuditAction,
        of identity: Identifier,
        by actor: AuditEvent.Actor,
        about subject: String? = nil,
        at now: Timestamp
    ) -> AuditEvent {
        AuditEvent(action, of: identity, by: actor, about: subject, at: now, random: random)
    }

    /// A position in the log, identified by an event's time and id.
    ///
    /// The page at a position starts with the newest event that is older than the position.
    package struct Position: Hashable, Sendable {
        /// The time of the event.
        package let time: Timestamp
        /// The event's id, which distinguishes events with the same time.
        package let id: Identifier

        /// Creates a position from an event's time and id.
        ///
        /// The event doesn't have to exist.
        package init(time: Timestamp, id: Identifier) {
            self.time = time
            self.id = id
        }
    }

    /// The columns to select, in the order that ``AuditEvent`` reads them.
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
    ///   - event: The event to store. An event with the same id must not exist yet.
    ///   - transaction: The database transaction of the audited action.
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

    /// Deletes the oldest events before a given time.
    ///
    /// Call this method repeatedly, each time in a new transaction, until it deletes fewer than `limit`
    /// events.
    ///
    /// - Parameters:
    ///   - time: The current time minus the retention period. Events older than this are deleted.
    ///   - limit: The maximum number of events to delete.
    ///   - transaction: The database transaction that deletes the events.
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

    /// Returns an account's events, newest first.
    ///
    /// The account may have been deleted.
    ///
    /// - Parameters:
    ///   - identity: The account's id.
    ///   - position: The last event of the previous page, or `nil` to read the first page.
    ///   - limit: The maximum number of events to return.
    ///   - database: The database to read from.
    /// - Returns: The events. The last page has fewer than `limit` events.
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

    /// Returns the events of all accounts, newest first.
    ///
    /// - Parameters:
    ///   - position: The last event of the previous page, or `nil` to read the first page.
    ///   - limit: The maximum number of events to return.
    ///   - database: The database to read from.
    /// - Returns: The events. The last page has fewer than `limit` events.
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
    /// A position that precedes every possible event, used to read the first page.
    fileprivate static let end = AuditLog.Position(
        time: Timestamp(microseconds: .max),
        id: Identifier(high: .max, low: .max)
    )
}
