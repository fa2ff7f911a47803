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
        package internal(set) var auditEvents = 0
        package internal(set) var proofs = 0
    }

    private let database: any Database
    private let time: any TimeSource
    private let options: CleanUpOptions
    private let task = Locked<Task<Void, Never>?>(nil)

    /// Creates the clean-up; nothing is deleted before ``start()``.
    package init(_ context: ServerContext, options: CleanUpOptions = CleanUpOptions()) {
        database = context.database
        time = context.time
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
        let options = options
        var tally = Tally()
        for (flows, retention) in [
            (FlowRepository.Expired.unfinished, options.unfinishedRetention), (.all, options.flowRetention),
        ] {
            let deleted = try await empty {
                try FlowRepository.deleteExpired(flows, before: now - retention, atMost: $1, in: $0)
            }
            tally.flows += deleted.rows
            tally.codes += deleted.dependent
        }
        tally.codes += try await empty {
            try CodeRepository.deleteExpired(before: now - options.flowRetention, atMost: $1, in: $0)
        }
        tally.sessions = try await empty {
            try SessionRepository.deleteExpired(before: now - options.sessionRetention, atMost: $1, in: $0)
        }
        tally.messages = try await empty {
            try MessageRepository.deleteFinished(before: now - options.messageRetention, atMost: $1, in: $0)
        }
        tally.limits = try await empty { try LimitRepository.deleteExpired(at: now, atMost: $1, in: $0) }
        if options.auditRetention > .zero {
            tally.auditEvents = try await empty {
                try AuditLog.deleteEvents(before: now - options.auditRetention, atMost: $1, in: $0)
            }
        }
        tally.proofs = try await empty { try SeenProofRepository.deleteExpired(at: now, atMost: $1, in: $0) }
        return tally
    }

    /// Deletes batch by batch until one is not full.
    private func empty(
        _ delete: @escaping @Sendable (borrowing Transaction, _ limit: Int) throws -> Int
    ) async throws -> Int {
        try await empty { (try delete($0, $1), 0) }.rows
    }

    /// The same for rows with others that depend on them, which are deleted in the same transaction.
    private func empty(
        _ delete: @escaping @Sendable (borrowing Transaction, _ limit: Int) throws -> (Int, Int)
    ) async throws -> (rows: Int, dependent: Int) {
        var (total, dependent) = (0, 0)
        while true {
            let deleted = try await database.transaction { [batch = options.batch] in try delete($0, batch) }
            total += deleted.0
            dependent += deleted.1
            if deleted.0 < options.batch || Task.isCancelled { return (total, dependent) }
        }
    }
}
