package import LatchkeyAccounts
import LatchkeyCourier
package import LatchkeyModel
import LatchkeyOAuth
import LatchkeySelfService
package import LatchkeyServerKit

/// A background task that deletes expired rows in small index-ordered batches, and erases accounts that their
/// owners have deleted.
///
/// The task covers flows, codes, sessions, messages, rate-limit counters, audit events and proofs of
/// possession. Only rows that are no longer needed are deleted. An expired flow, for example, is rejected
/// because of the time in its id, whether or not its row still exists. A lease in the database prevents other
/// nodes from starting a round at the same time.
package final class CleanUp: Sendable {
    /// The number of rows of each kind that a round deleted.
    package struct Tally: Hashable, Sendable {
        /// The number of deleted flows.
        package internal(set) var flows = 0
        /// The number of deleted one-time codes, including those deleted together with their flows.
        package internal(set) var codes = 0
        /// The number of deleted sessions.
        package internal(set) var sessions = 0
        /// The number of deleted messages, including decoys.
        package internal(set) var messages = 0
        /// The number of deleted rate-limit counters.
        package internal(set) var limits = 0
        /// The number of deleted audit events; 0 if they are retained indefinitely.
        package internal(set) var auditEvents = 0
        /// The number of accounts that were erased because their owners have deleted them.
        package internal(set) var accounts = 0
        /// The number of deleted fingerprints in the replay cache of DPoP proofs.
        package internal(set) var proofs = 0
    }

    private let database: any Database
    private let time: any TimeSource
    private let erasure: AccountErasure
    private let options: CleanUpOptions
    private let task = Locked<Task<Void, Never>?>(nil)

    /// Creates the task, which deletes no rows until ``start()`` or ``round()`` is called.
    ///
    /// - Parameters:
    ///   - database: The database to delete from.
    ///   - erasure: Erases the accounts that their owners have deleted.
    ///   - time: The clock that determines which rows have expired and when the next round starts.
    ///   - options: The retention periods, the interval and the size of batches.
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

    /// Starts the rounds, with a pause of ``CleanUpOptions/interval`` after each round, unless this method
    /// was called before.
    ///
    /// This method returns immediately, and the first round begins at once.
    ///
    /// A stopped task cannot be started again.
    package func start() {
        task.withLock { task in
            guard task == nil else { return }
            task = Task { [self] in
                while !Task.isCancelled {
                    // Errors are ignored, because other operations report a failing database and the next
                    // round retries.
                    _ = try? await round()
                    try? await time.sleep(for: options.interval)
                }
            }
        }
    }

    /// Cancels the task and waits for it.
    ///
    /// A round in progress deletes at most one more batch of each remaining kind.
    package func stop() async {
        let running = task.withLock { $0 }
        running?.cancel()
        await running?.value
    }

    /// Deletes all expired rows, unless another node holds the lease.
    ///
    /// Each batch is deleted in its own transaction, so an error does not roll back the previous batches. The
    /// lease lasts for half of the interval, so a longer round may overlap with a round on another node.
    ///
    /// This method can be called while the background task runs. If both start a round, only one of them
    /// acquires the lease, and the other returns `nil`.
    ///
    /// - Returns: The numbers of deleted rows; `nil` if another node holds the lease.
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
        tally.accounts = try await eraseAccounts(at: now)
        return tally
    }

    /// Erases the accounts that are due, each in its own transaction, until there are no more or the task is
    /// cancelled.
    private func eraseAccounts(at now: Timestamp) async throws -> Int {
        var total = 0
        while true {
            let erased = try await erasure.eraseDeleted(at: now, atMost: options.batch, in: database)
            total += erased
            if erased < options.batch || Task.isCancelled { return total }
        }
    }

    /// Deletes batches, each in its own transaction, until a batch is not full or the task is cancelled.
    private func empty(
        _ delete: @escaping @Sendable (borrowing Transaction, _ limit: Int) throws -> Int
    ) async throws -> Int {
        try await empty { (try delete($0, $1), 0) }.rows
    }

    /// Deletes batches of rows together with their dependent rows, which share the transaction.
    ///
    /// Whether a batch is full depends only on the first number that `delete` returns.
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
