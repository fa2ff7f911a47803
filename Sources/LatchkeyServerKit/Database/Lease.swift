package import LatchkeyModel

/// A named lease in the database, which ensures that only one node performs a task at a time.
package enum Lease {
    /// How far the clocks of two nodes may be apart.
    private static let skew: Duration = .seconds(60)

    /// Acquires a lease if it is free or has expired.
    ///
    /// A lease can't be released early. A lease remains valid until it expires, even if its holder crashes.
    ///
    /// If the clock was set back, the stored expiry can be later than any lease that could have been acquired
    /// by now. Such a lease is free, too. Otherwise, the task wouldn't be performed until the clock has
    /// caught up.
    ///
    /// - Parameters:
    ///   - name: The name of the task.
    ///   - end: The time at which the lease expires. All nodes must ask for leases of the same length.
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
            ON CONFLICT (name) DO UPDATE SET held_until = excluded.held_until
            WHERE leases.held_until <= $3 OR leases.held_until > $4
            """,
            .text(name),
            .time(end),
            .time(now),
            .time(end + skew)
        ) == 1
    }
}
