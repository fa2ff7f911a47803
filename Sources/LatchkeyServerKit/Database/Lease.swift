package import LatchkeyModel

/// A named lease in the database, which ensures that only one node at a time does a task.
package enum Lease {
    /// Acquires a lease if it is free or has expired.
    ///
    /// The holder cannot release the lease early. The lease ends only when it expires, even if the holder has
    /// crashed.
    ///
    /// - Parameters:
    ///   - name: The name of the task.
    ///   - end: The expiry of the lease.
    ///   - now: The current time. A lease that expires at or before this time is free.
    ///   - transaction: The transaction to write in, which acquires the lease when it is committed.
    /// - Returns: Whether the lease was acquired.
    /// - Throws: ``DatabaseError``.
    package static func take(
        _ name: String,
        until end: Timestamp,
        at now: Timestamp,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) -> Bool {
        try transaction.execute(
            """
            INSERT INTO leases (name, held_until) VALUES ($1, $2)
            ON CONFLICT (name) DO UPDATE SET held_until = excluded.held_until WHERE leases.held_until <= $3
            """,
            .text(name),
            .time(end),
            .time(now)
        ) == 1
    }
}
