/// A transaction that waits for its turn on a driver's thread.
///
/// The type of the caller's result is erased. The driver must call either ``Performed/settle`` or ``refuse``,
/// exactly once.
package struct PendingTransaction: Sendable {
    /// The result of running the body of a transaction that has not been committed or rolled back yet.
    package struct Performed {
        /// Whether to commit the transaction; `false` if the body threw an error, which requires a rollback.
        package let keeps: Bool

        /// Resumes the caller with the body's result or error.
        ///
        /// After a successful body, the actions that it registered with ``Transaction/afterCommit(_:)`` run
        /// first.
        package let settle: () -> Void
    }

    /// The time of submission, from which the waiting time is measured.
    package let submitted = ContinuousClock.now

    /// Runs the body, whose result is valid only once the transaction has been committed.
    package let perform: @Sendable (borrowing Transaction) -> Performed

    /// Resumes the caller with an error instead of the body's result.
    package let refuse: @Sendable (DatabaseError) -> Void

    /// Creates a pending transaction.
    ///
    /// - Parameters:
    ///   - body: The body, which may run several times.
    ///   - continuation: The continuation of the caller that waits for the transaction.
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
    /// Enqueues a transaction, or resumes the caller with an error if the queue is full or closed.
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
