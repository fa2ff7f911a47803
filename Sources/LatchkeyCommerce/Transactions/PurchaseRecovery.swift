import LatchkeyAccounts
import LatchkeyModel
import LatchkeyServerKit

/// A background task that completes purchases without a result: those that a crash has interrupted, those for which
/// the payment provider had no result yet, and deferred ones whose confirmation has expired.
///
/// Nodes that run at the same time take different purchases.
package final class PurchaseRecovery: Sendable {
    /// The pause between two rounds.
    private static let interval: Duration = .seconds(5)
    /// The maximum number of purchases in a round.
    private static let batch = 100

    private let processor: PurchaseProcessor
    private let database: any Database
    private let time: any TimeSource
    private let task = Locked<Task<Void, Never>?>(nil)

    /// Creates the task, which does not run before ``start()``.
    init(processor: PurchaseProcessor, database: any Database, time: any TimeSource) {
        self.processor = processor
        self.database = database
        self.time = time
    }

    /// Starts the rounds, the first of them at once, unless this method was called before.
    ///
    /// A stopped task cannot be started again.
    package func start() {
        task.withLock { task in
            guard task == nil else { return }
            task = Task { [self] in
                while !Task.isCancelled {
                    // Errors are ignored, because other operations report a failing database and the next round
                    // retries.
                    _ = try? await round()
                    try? await time.sleep(for: Self.interval)
                }
            }
        }
    }

    /// Cancels the task and waits for it; the purchase in progress is completed first.
    package func stop() async {
        let running = task.withLock { $0 }
        running?.cancel()
        await running?.value
    }

    /// Processes the purchases that are due.
    ///
    /// A purchase that fails with an error does not prevent the others, and is due again after its lease.
    ///
    /// - Returns: The number of purchases that were due.
    /// - Throws: ``DatabaseError``.
    @discardableResult
    package func round() async throws -> Int {
        let due = try await PurchaseRepository.due(at: time.now, limit: Self.batch, in: database)
        for purchase in due {
            guard !Task.isCancelled else { break }
            try? await processor.resume(purchase)
        }
        return due.count
    }
}
