import LatchkeyModel
import LatchkeyServerKit

/// Stores the timestamps of recent events in buckets.
///
/// An update only takes effect if the stored bytes haven't changed since they were read (compare-and-swap).
enum LimitRepository {
    /// The maximum number of buckets per read.
    static let mostBuckets = 16

    /// Returns the stored bytes of up to ``mostBuckets`` buckets, keyed by bucket.
    ///
    /// Buckets that have no row are left out. Traps if there are too many buckets.
    ///
    /// - Throws: ``DatabaseError``.
    static func find(
        _ buckets: [[UInt8]],
        in transaction: borrowing Transaction
    ) throws(DatabaseError) -> [[UInt8]: [UInt8]] {
        guard let first = buckets.first else { return [:] }
        precondition(buckets.count <= mostBuckets)
        // The statement has a fixed number of parameters, so we pass the first bucket for the unused
        // parameters.
        let padding = Array(repeating: first, count: mostBuckets - buckets.count)
        let rows = try transaction.rows(
            """
            SELECT bucket, stamps FROM limits WHERE bucket IN \
            ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)
            """,
            values: (buckets + padding).map { .blob($0) }
        )
        var found: [[UInt8]: [UInt8]] = [:]
        for row in rows { found[try row.blob(0)] = try row.blob(1) }
        return found
    }

    /// Replaces the timestamps of a bucket if they haven't changed.
    ///
    /// - Parameters:
    ///   - old: The timestamps that the bucket is expected to have, or `nil` if the bucket shouldn't have a
    ///     row yet.
    ///   - new: The timestamps to store.
    ///   - bucket: The bucket's key.
    ///   - expiry: The time after which the bucket's row can be deleted.
    ///   - transaction: The database transaction that the row is written in.
    /// - Returns: `false` if the stored timestamps differ from the expected timestamps. In this case, the
    ///   bucket doesn't change.
    /// - Throws: ``DatabaseError``.
    static func replace(
        _ old: [UInt8]?,
        by new: [UInt8],
        in bucket: [UInt8],
        until expiry: Timestamp,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) -> Bool {
        guard let old else {
            return try transaction.execute(
                """
                INSERT INTO limits (bucket, stamps, expires_at) VALUES ($1, $2, $3)
                ON CONFLICT (bucket) DO NOTHING
                """,
                .blob(bucket),
                .blob(new),
                .time(expiry)
            ) == 1
        }
        return try transaction.execute(
            "UPDATE limits SET stamps = $1, expires_at = $2 WHERE bucket = $3 AND stamps = $4",
            .blob(new),
            .time(expiry),
            .blob(bucket),
            .blob(old)
        ) == 1
    }

    /// Deletes a bucket, which resets its count to zero.
    ///
    /// - Throws: ``DatabaseError``.
    static func delete(_ bucket: [UInt8], in transaction: borrowing Transaction) throws(DatabaseError) {
        try transaction.execute("DELETE FROM limits WHERE bucket = $1", .blob(bucket))
    }

    /// Restores a bucket's previous timestamps if no other event has been counted in the meantime.
    ///
    /// If the reservation created the bucket's row, the row is deleted. Otherwise, the row keeps its new
    /// expiry date.
    ///
    /// - Returns: Whether the bucket was restored, because its timestamps had not changed since the
    ///   reservation.
    /// - Throws: ``DatabaseError``.
    static func restore(
        _ entry: LimitReservation.Entry,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) -> Bool {
        guard let old = entry.old else {
            return try transaction.execute(
                "DELETE FROM limits WHERE bucket = $1 AND stamps = $2",
                .blob(entry.bucket),
                .blob(entry.new)
            ) == 1
        }
        return try replace(entry.new, by: old, in: entry.bucket, until: entry.expiry, in: transaction)
    }

    /// Removes one timestamp from a bucket.
    ///
    /// This method has no effect if the bucket doesn't contain the timestamp.
    ///
    /// - Parameters:
    ///   - time: The timestamp to remove. If the bucket contains the timestamp several times, only one
    ///     occurrence is removed.
    ///   - bucket: The bucket's key.
    ///   - attempts: How often to try if other nodes change the bucket at the same time.
    ///   - transaction: The database transaction that the change is written in.
    /// - Throws: ``DatabaseError``, with the code `overloaded` if all attempts fail.
    static func remove(
        _ time: Timestamp,
        from bucket: [UInt8],
        attempts: Int,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) {
        for _ in 0..<attempts {
            guard let old = try find([bucket], in: transaction)[bucket] else { return }
            var stamps = EventTimestamps(bytes: old)
            guard stamps.remove(time) else { return }
            let changed =
                stamps.times.isEmpty
                ? try transaction.execute(
                    "DELETE FROM limits WHERE bucket = $1 AND stamps = $2",
                    .blob(bucket),
                    .blob(old)
                )
                : try transaction.execute(
                    "UPDATE limits SET stamps = $1 WHERE bucket = $2 AND stamps = $3",
                    .blob(stamps.bytes),
                    .blob(bucket),
                    .blob(old)
                )
            if changed == 1 { return }
        }
        throw DatabaseError(.overloaded, message: "Concurrent requests keep updating the same rate limit.")
    }

    /// Deletes expired rows, starting with the one that expired first.
    ///
    /// Expired rows don't affect any limit, so they can be deleted at any time.
    ///
    /// - Parameters:
    ///   - now: The current time.
    ///   - limit: The maximum number of rows to delete.
    ///   - transaction: The database transaction that deletes the rows.
    /// - Returns: The number of deleted rows.
    /// - Throws: ``DatabaseError``.
    static func deleteExpired(
        at now: Timestamp,
        atMost limit: Int,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) -> Int {
        try transaction.execute(
            """
            DELETE FROM limits WHERE bucket IN
                (SELECT bucket FROM limits WHERE expires_at <= $1 ORDER BY expires_at LIMIT $2)
            """,
            .time(now),
            .integer(Int64(limit))
        )
    }
}
