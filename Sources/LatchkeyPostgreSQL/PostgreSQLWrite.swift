import LatchkeyServerCore

/// A transaction that waits for its turn on one of the writers' threads.
struct PostgreSQLWrite: Sendable {
    /// What is left to do when the fate of the transaction is known.
    struct Performed {
        /// False when the body threw, so that nothing of it may remain.
        let keeps: Bool

        /// Gives the caller the body's own outcome.
        let settle: () -> Void
    }

    /// When it was handed in.
    let submitted = ContinuousClock.now

    /// Runs the body; what it returns counts only when the transaction stays.
    let perform: @Sendable (borrowing Transaction) -> Performed

    /// Gives the caller an error in place of the outcome.
    let refuse: @Sendable (DatabaseError) -> Void

    init<Outcome: Sendable>(
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
