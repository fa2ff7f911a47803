/// A transaction that is waiting to run on one of the driver's threads.
///
/// The closures hide the type of the transaction's result. The driver must call either ``Performed/settle``
/// or ``refuse`` exactly once.
package struct PendingTransaction: Sendable {
    /// The outcome of running a transaction's body, before the driver commits or rolls back.
    package struct Performed {
        /// Whether the driver should commit the transaction.
        ///
        /// If the body threw an error, the value is `false` and the driver must roll back.
        package let keeps: Bool

        /// Resumes the caller with the body's result or error.
        ///
        /// If the body succeeded, the actions it registered with ``Transaction/afterCommit(_:)`` run first.
        package let settle: () -> Void
    }

    /// When the transaction was submitted, for measuring how long it has waited.
    package let submitted = ContinuousClock.now

    /// Runs the body of the transaction.
    ///
    /// The value that the body returns must not be used until the transaction has been committed.
    package let perform: @Sendable (borrowing Transaction) -> Performed

    /// Resumes the caller with an error instead of the body's result.
    package let refuse: @Sendable (DatabaseError) -> Void

    /// Creates a pending transaction.
    ///
    /// - Parameters:
    ///   - body: The closure to run, possibly more than once.
    ///   - continuation: The continuation of the caller that is waiting for the transaction.
    package init<Outcome: Sendable>(
        _ body: @escaping @Sendable (borrowing Transaction) throws -> Outcome,
        continuation: CheckedContinuation<Outcome, any Error>
    ) {
        perform = { transaction in
            do {
                let outcome = try body(transaction)
                let actions = transaction.commitActions()
                return Performed(keeps: true) {
                    for action in actions { action() }
                    continuation.resume(returning: outcome)
                }
            } catch {
                return Performed(keeps: false) { continuation.resume(throwing: error) }
            }
        }
        refuse = { continuation.resume(throwing: $0) }
    }
}

extension WorkQueue<PendingTransaction> {
    /// Enqueues a transaction.
    ///
    /// If the queue is full or closed, the caller is resumed with an error.
    package func submit(_ transaction: PendingTransaction) {
        do {
            try append(transaction)
        } catch {
            switch error {
            case .full:
                transaction.refuse(DatabaseError(.overloaded, message: "The queue of transactions is full."))
            case .closed: transaction.refuse(.closed)
            }
        }
    }
}
