import LatchkeyAccounts
import LatchkeyModel
import LatchkeyServerKit

/// A background task that completes purchases that don't have a result yet.
///
/// These are purchases that were interrupted by a crash, purchases for which the payment provider didn't have
/// a result yet, and deferred purchases that weren't confirmed in time. Payments of erased accounts are
/// cancelled. If several nodes run this task at the same time, each purchase is processed by only one node.
package final class PurchaseRecovery: ServerWorker {
    /// The pause between two rounds.
    private static let interval: Duration = .seconds(5)
    /// The maximum number of purchases in a round.
    private static let batch = 100

    private let processor: PurchaseProcessor
    private let erased: ErasedPaymentCanceller
    private let database: any Database
    private let time: any TimeSource
    private let task = Locked<Task<Void, Never>?>(nil)

    /// Creates the task.
    ///
    /// The task doesn't run until ``start()`` is called.
    init(
        processor: PurchaseProcessor,
        erased: ErasedPaymentCanceller,
        database: any Database,
        time: any TimeSource
    ) {
        self.erased = erased
        self.processor = processor
        self.database = database
        self.time = time
    }

    /// Starts the background task if it hasn't been started yet.
    ///
    /// The first round begins immediately. A task that was stopped cannot be started again.
    package func start() {
        task.withLock { task in
            guard task == nil else { return }
            task = Task { [self] in
                while !Task.isCancelled {
                    // Ignore errors. Other operations report database errors, and the next round tries again.
                    _ = try? await round()
                    try? await time.sleep(for: Self.interval)
                }
            }
        }
    }

    /// Cancels the background task and waits until it has completed the purchase in progress.
    package func stop() async {
        let running = task.withLock { $0 }
        running?.cancel()
        await running?.value
    }

    /// Processes the purchases that are due.
    ///
    /// If a purchase fails with an error, the others are still processed. The purchase is due again after its
    /// lease expires.
    ///
    /// - Returns: The number of purchases and of payments of erased accounts that were due.
    /// - Throws: ``DatabaseError``.
    @discardableResult
    package func round() async throws -> Int {
        let due = try await PurchaseRepository.due(at: time.now, limit: Self.batch, in: database)
        for purchase in due {
            guard !Task.isCancelled else { break }
            try? await processor.resume(purchase)
        }
        return try await due.count + erased.round(limit: Self.batch)
    }
}
