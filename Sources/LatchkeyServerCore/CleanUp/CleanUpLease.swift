import LatchkeyModel

/// The right to clean up, which one node of many has at a time.
enum CleanUpLease {
    /// Takes the lease, unless another node has it.
    ///
    /// - Parameters:
    ///   - end: When it is over by itself, should its holder die.
    ///   - now: The time.
    ///   - transaction: The transaction.
    /// - Returns: Whether it was free.
    /// - Throws: ``DatabaseError``.
    static func take(
        until end: Timestamp,
        at now: Timestamp,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) -> Bool {
        try transaction.execute(
            """
            INSERT INTO leases (name, held_until) VALUES ('clean-up', $1)
            ON CONFLICT (name) DO UPDATE SET held_until = excluded.held_until WHERE leases.held_until <= $2
            """,
            .time(end),
            .time(now)
        ) == 1
    }
}
