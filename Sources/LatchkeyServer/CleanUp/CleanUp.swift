package import LatchkeyAccounts
import LatchkeyCourier
package import LatchkeyModel
import LatchkeyOAuth
import LatchkeySelfService
package import LatchkeyServerKit

/// A background task that deletes expired rows and erases accounts that their owners have deleted.
///
/// The task deletes expired flows, codes, sessions, messages, rate-limit counters, audit events and
/// fingerprints of DPoP proofs, in small batches and in index order. Only rows that the server no longer
/// relies on are deleted. For example, the id of a flow contains a timestamp, so an expired flow is rejected
/// even if its row still exists. A lease in the database makes sure that only one node at a time starts a
/// round.
package final class CleanUp: Sendable {
    /// The numbers of rows deleted in a round, for each kind of row.
    package struct Tally: Hashable, Sendable {
        /// The number of deleted flows.
        package internal(set) var flows = 0
        /// The number of deleted one-time codes, including codes that were deleted together with their flows.
        package internal(set) var codes = 0
        /// The number of deleted sessions.
        package internal(set) var sessions = 0
        /// The number of deleted messages, including decoys.
        package internal(set) var messages = 0
        /// The number of deleted rate-limit counters.
        package internal(set) var limits = 0
        /// The number of deleted audit events.
        ///
        /// This is always 0 if audit events are retained indefinitely.
        package internal(set) var auditEvents = 0
        /// The number of erased accounts.
        ///
        /// Accounts are erased some time after their owners have deleted them, and if no user can log in to
        /// them any more.
        package internal(set) var accounts = 0
        /// The number of fingerprints that were deleted from the replay cache for DPoP proofs.
        package internal(set) var proofs = 0
    }

    private let database: any Database
    private let time: any TimeSource
    private let erasure: AccountErasure
    private let options: CleanUpOptions
    private let task = Locked<Task<Void, Never>?>(nil)

    /// Creates the task.
    ///
    /// No rows are deleted until ``start()`` or ``round()`` is called.
    ///
    /// - Parameters:
    ///   - database: The database to delete from.
    ///   - erasure: Erases the accounts that their owners have deleted.
    ///   - time: Determines which rows have expired and when the next round starts.
    ///   - options: The retention periods, the interval and the batch size.
    package init(
        database: any Database,
        erasure: AccountErasure,
        time: any TimeSource,
        options: CleanUpOptions = CleanUpOptions()
    ) {
        self.database = database
        self.erasure = erasure
        self.time = time
        self.options = options
    }

    /// Starts the background task, unless it has already been started.
    ///
    /// The first round begins immediately. After each round, the task pauses for ``CleanUpOptions/interval``.
    /// This method doesn't wait for the first round to complete.
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
                    try? await time.sleep(for: options.interval)
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
    /// - Throws: ``DatabaseError``.
    @discardableResult
    package func round() async throws -> Tally? {
        let now = time.now
        let isOurs = try await database.transaction { [options] transaction in
            try Lease.take("clean-up", until: now + options.interval / 2, at: now, in: transaction)
        }
        guard isOurs else { return nil }
        let (options, data) = (options, erasure.data)
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
        if let idleLifespan = options.idleLifespan {
            _ = try await empty {
                try SessionRepository.applyIdleLifespan(idleLifespan, at: now, atMost: $1, in: $0)
            }
        }
        tally.sessions = try await empty {
            try SessionRepository.deleteExpired(
                before: now - options.sessionRetention,
                atMost: $1,
                with: data,
                in: $0
            )
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
        // If an account can't be erased, those of the other kind are still erased.
        let deleted = await eraseAccounts { [erasure, database] in
            try await erasure.eraseDeleted(at: now, atMost: $0, in: database)
        }
        let stranded = await eraseAccounts { [erasure, database] in
            try await erasure.eraseStranded(at: now, atMost: $0, in: database)
        }
        tally.accounts = try deleted.get() + stranded.get()
        return tally
    }

    /// Erases accounts that are due, each in its own transaction, until none are left or the task is
    /// cancelled.
    private func eraseAccounts(by erase: (_ limit: Int) async throws -> Int) async -> Result<Int, any Error> {
        var total = 0
        while true {
            do {
                let erased = try await erase(options.batch)
                total += erased
                if erased < options.batch || Task.isCancelled { return .success(total) }
            } catch {
                return .failure(error)
            }
        }
    }

    /// Deletes batches, each in its own transaction, until a batch isn't full or the task is cancelled.
    private func empty(
        _ delete: @escaping @Sendable (borrowing Transaction, _ limit: Int) throws -> Int
    ) async throws -> Int {
        try await empty { (try delete($0, $1), 0) }.rows
    }

    /// Deletes batches of rows, together with the rows that depend on them, each in its own transaction.
    ///
    /// A batch is full if the first number that `delete` returns equals the limit.
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
