/// A transaction that waits for its turn on a driver's thread.
package struct PendingTransaction: Sendable {
    /// What is left to do when the fate of the transaction is known.
    package struct Performed {
        /// False when the body threw, so that nothing of it may remain.
        package let keeps: Bool

        /// Gives the caller the body's own outcome.
        package let settle: () -> Void
    }

    /// When it was handed in.
    package let submitted = ContinuousClock.now

    /// Runs the body; what it returns counts only when the transaction stays.
    package let perform: @Sendable (borrowing Transaction) -> Performed

    /// Gives the caller an error in place of the outcome.
    package let refuse: @Sendable (DatabaseError) -> Void

    package init<Outcome: Sendable>(
        _ body: @escaping @Sendable (borrowing Transaction) throws -> Outcome,
        _ continuation: CheckedContinuation<Outcome, any Error>
    ) {
        perform = { transaction in
            do {
                let outcome = try body(transaction)
                return Performed(keeps: true) { continuation.resume(returning: outcome) }
            } catch {
                return Performed(keeps: false) { continuation.resume(throwing: error) }
            }
        }
        refuse = { continuation.resume(throwing: $0) }
    }
}

extension WorkQueue<PendingTransaction> {
    /// Hands in a transaction; its caller gets exactly one answer.
    package func submit(_ transaction: PendingTransaction) {
        do {
            try append(transaction)
        } catch {
            switch error {
            case .full: transaction.refuse(DatabaseError(.overloaded, "Too many transactions wait."))
            case .closed: transaction.refuse(.closed)
            }
        }
    }
}
