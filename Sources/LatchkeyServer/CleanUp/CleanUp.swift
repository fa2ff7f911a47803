package import LatchkeyModel
package import LatchkeyServerKit

/// A background task that deletes expired rows and erases accounts that their owners have deleted.
///
/// Rows are deleted in small batches and in index order. Only rows that the server no longer relies on are
/// deleted. For example, the id of a flow contains a timestamp, so an expired flow is rejected even if its row
/// still exists. A lease in the database makes sure that only one node at a time starts a round.
package final class CleanUp: ServerWorker {
    /// The number of rows deleted in a round, for each kind of row.
    package typealias Tally = [ExpiredRows.Kind: Int]

    private let rows: [ExpiredRows]
    private let database: any Database
    private let time: any TimeSource
    private let interval: Duration
    private let batch: Int
    private let task = Locked<Task<Void, Never>?>(nil)

    /// Creates the task.
    ///
    /// No rows are deleted until ``start()`` or ``round()`` is called.
    ///
    /// A node holds its lease for half of the interval between two rounds, and no other node starts a round
    /// during that time. The smaller a batch is, the sooner each transaction releases its locks.
    package init(
        _ rows: [ExpiredRows],
        in database: any Database,
        time: any TimeSource,
        interval: Duration = .seconds(60),
        batch: Int = 500
    ) {
        self.rows = rows
        self.database = database
        self.time = time
        self.interval = interval
        self.batch = batch
    }

    /// Starts the background task, unless it has already been started.
    ///
    /// The first round begins immediately. This method doesn't wait for it to complete.
    ///
    /// A task that was stopped cannot be started again.
    package func start() {
        task.withLock { task in
            guard task == nil else { return }
            task = Task { [self] in
                while !Task.isCancelled {
                    // We ignore errors, because other operations also report that the database isn't
                    // available, and the next round deletes the remaining rows.
                    _ = try? await round()
                    try? await time.sleep(for: interval)
                }
            }
        }
    }

    /// Cancels the background task and waits until it has stopped.
    ///
    /// A round that is in progress deletes at most one more batch of each remaining kind.
    package func stop() async {
        let running = task.withLock { $0 }
        running?.cancel()
        await running?.value
    }

    /// Deletes all expired rows, unless another node holds the lease.
    ///
    /// Each batch is deleted in its own transaction, so an error doesn't roll back earlier batches. The lease
    /// lasts for half of the interval, so a round that takes longer may overlap with a round on another node.
    ///
    /// You can call this method while the background task is running. If this method and the background task
    /// start a round at the same time, only one of them acquires the lease.
    /// - Returns: The number of deleted rows of each kind, or `nil` if another node holds the lease.
    /// - Throws: The first error, after all kinds of rows were tried.
    @discardableResult
    package func round() async throws -> Tally? {
        let now = time.now
        let isOurs = try await database.transaction { [interval] transaction in
            try Lease.take("clean-up", until: now + interval / 2, at: now, in: transaction)
        }
        guard isOurs else { return nil }
        var tally: Tally = [:]
        var failure: (any Error)?
        for rows in rows {
            do {
                tally[rows.kind, default: 0] += try await delete(rows, at: now)
            } catch {
                // One account that can't be erased, for example, must not keep other rows for ever.
                failure = failure ?? error
            }
        }
        if let failure { throw failure }
        return tally
    }

    /// Deletes batches until a batch isn't full or the task is cancelled.
    private func delete(_ rows: ExpiredRows, at now: Timestamp) async throws -> Int {
        var total = 0
        while true {
            let deleted = try await rows.delete(now, batch, database)
            total += deleted
            if deleted < batch || Task.isCancelled { return total }
        }
    }
}
