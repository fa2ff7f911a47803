import LatchkeyModel

/// Deletes what is over, in small batches by index: flows, codes, sessions, messages, counts of limits.
///
/// Of many nodes one does it at a time. What is deleted was of no more use to anybody: a flow, for instance, is refused
/// by the time in its id whether or not it has a row.
package final class CleanUp: Sendable {
    /// How much was deleted of what.
    package struct Tally: Hashable, Sendable {
        package internal(set) var flows = 0
        package internal(set) var codes = 0
        package internal(set) var sessions = 0
        package internal(set) var messages = 0
        package internal(set) var limits = 0
    }

    private let database: any Database
    private let time: any TimeSource
    private let courier: Courier
    private let options: CleanUpOptions
    private let task = Locked<Task<Void, Never>?>(nil)

    /// Creates the clean-up; nothing is deleted before ``start()``.
    package init(_ context: ServerContext, courier: Courier, options: CleanUpOptions = CleanUpOptions()) {
        database = context.database
        time = context.time
        self.courier = courier
        self.options = options
    }

    /// Begins to clean up from time to time.
    package func start() {
        task.withLock { task in
            guard task == nil else { return }
            task = Task { [self] in
                while !Task.isCancelled {
                    // Trouble with the database shows elsewhere; the next round does what this one could not.
                    _ = try? await round()
                    try? await time.sleep(for: options.interval)
                }
            }
        }
    }

    /// Ends it; the batch under way is still done.
    package func stop() async {
        let running = task.withLock { $0 }
        running?.cancel()
        await running?.value
    }

    /// Deletes all that is over now, unless another node is at it.
    ///
    /// - Returns: How much was deleted; nothing when another node has the lease.
    /// - Throws: ``DatabaseError``.
    @discardableResult
    package func round() async throws -> Tally? {
        let now = time.now
        let isOurs = try await database.transaction { [options] transaction in
            try CleanUpLease.take(until: now + options.interval / 2, at: now, in: transaction)
        }
        guard isOurs else { return nil }
        var tally = Tally()
        tally.flows = try await empty { try Self.flows(before: now - $1.flowRetention, $1, in: $0) }
        tally.codes = try await empty { try Self.codes(before: now - $1.flowRetention, $1, in: $0) }
        tally.sessions = try await empty { try Self.sessions(before: now - $1.sessionRetention, $1, in: $0) }
        tally.messages = try await empty { [courier] in
            try courier.sweep(before: now - $1.messageRetention, atMost: $1.batch, in: $0)
        }
        tally.limits = try await empty { try Self.limits(at: now, $1, in: $0) }
        return tally
    }

    /// Deletes batch by batch until one is not full.
    private func empty(
        _ delete: @escaping @Sendable (borrowing Transaction, CleanUpOptions) throws -> Int
    ) async throws -> Int {
        var total = 0
        while true {
            let deleted = try await database.transaction { [options] in try delete($0, options) }
            total += deleted
            if deleted < options.batch || Task.isCancelled { return total }
        }
    }

    private static func flows(
        before end: Timestamp,
        _ options: CleanUpOptions,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) -> Int {
        try transaction.execute(
            """
            DELETE FROM flows WHERE id IN
                (SELECT id FROM flows WHERE expires_at < $1 ORDER BY expires_at LIMIT $2)
            """,
            .time(end),
            .integer(Int64(options.batch))
        )
    }

    private static func codes(
        before end: Timestamp,
        _ options: CleanUpOptions,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) -> Int {
        try transaction.execute(
            """
            DELETE FROM codes WHERE flow_id IN
                (SELECT flow_id FROM codes WHERE expires_at < $1 ORDER BY expires_at LIMIT $2)
            """,
            .time(end),
            .integer(Int64(options.batch))
        )
    }

    /// Sessions that were ended early stay until their time would have been over: until then logging out of them again
    /// is answered as the first time.
    private static func sessions(
        before end: Timestamp,
        _ options: CleanUpOptions,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) -> Int {
        let ids = try transaction.rows(
            "SELECT id FROM sessions WHERE expires_at < $1 ORDER BY expires_at LIMIT $2",
            .time(end),
            .integer(Int64(options.batch))
        )
        for row in ids {
            let id = SQLValue.identifier(try row.identifier(0))
            try transaction.execute("DELETE FROM token_families WHERE session_id = $1", id)
            try transaction.execute("DELETE FROM sessions WHERE id = $1", id)
        }
        return ids.count
    }

    private static func limits(
        at now: Timestamp,
        _ options: CleanUpOptions,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) -> Int {
        try transaction.execute(
            """
            DELETE FROM limits WHERE bucket IN
                (SELECT bucket FROM limits WHERE expires_at <= $1 ORDER BY expires_at LIMIT $2)
            """,
            .time(now),
            .integer(Int64(options.batch))
        )
    }
}
