import LatchkeyModel

/// The rows of the limits; each change says what it expects to find.
enum LimitRepository {
    static func find(
        _ bucket: [UInt8],
        in transaction: borrowing Transaction
    ) throws(DatabaseError) -> [UInt8]? {
        try transaction.rows("SELECT stamps FROM limits WHERE bucket = $1", .blob(bucket)).first?.blob(0)
    }

    /// Puts new stamps in the place of old ones.
    ///
    /// - Returns: False when the old ones are not there any more.
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

    /// Takes one stamp away, if it is still there.
    static func remove(
        _ time: Timestamp,
        from bucket: [UInt8],
        attempts: Int,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) {
        for _ in 0..<attempts {
            guard let old = try find(bucket, in: transaction) else { return }
            var stamps = LimitStamps(old)
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
        throw DatabaseError(.unavailable, "Other nodes count the same events at the same moment.")
    }

    /// Deletes what matters no more, the longest first; tells how many.
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
