import LatchkeyModel
import LatchkeyServerKit

/// A lease that ensures that only one node at a time runs the clean-up.
enum CleanUpLease {
    /// Acquires the lease if it is free or has expired.
    ///
    /// The holder cannot release the lease early. The lease ends only when it expires, even if the holder has
    /// crashed.
    ///
    /// - Parameters:
    ///   - end: The expiry of the lease.
    ///   - now: The current time; a lease that expires at or before this time is free.
    ///   - transaction: The transaction to write in; the lease is held once the transaction is committed.
    /// - Returns: Whether the lease was acquired.
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
