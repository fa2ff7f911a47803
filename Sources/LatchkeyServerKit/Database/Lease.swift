package import LatchkeyModel

/// A named lease in the database, which ensures that only one node performs a task at a time.
package enum Lease {
    /// Acquires a lease if it is free or has expired.
    ///
    /// A lease can't be released early. A lease remains valid until it expires, even if its holder crashes.
    ///
    /// - Parameters:
    ///   - name: The name of the task.
    ///   - end: The time at which the lease expires.
    ///   - now: The current time. A lease that expires at or before this time is considered free.
    ///   - transaction: The database transaction that acquires the lease when it commits.
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
