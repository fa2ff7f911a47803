import LatchkeyAccounts
package import LatchkeyModel
package import LatchkeyServerKit

/// The replay cache for DPoP proofs that all nodes with the same database share.
///
/// Rows are written only if the database is shared; a single server relies on ``DPoPReplayCache``.
package enum SeenProofRepository {
    /// Stores a proof until it is no longer fresh.
    ///
    /// - Returns: `false` if the proof was already stored.
    /// - Parameters:
    ///   - proof: The proof, of which only the fingerprint is stored.
    ///   - end: The time from which the row can be deleted; an expired row that was not deleted still causes
    ///     a copy to be rejected.
    ///   - transaction: The transaction to write in; the proof is consumed once it is committed.
    /// - Throws: ``DatabaseError``.
    static func insert(
        _ proof: PresentedProof,
        until end: Timestamp,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) -> Bool {
        try transaction.execute(
            """
            INSERT INTO seen_proofs (fingerprint, expires_at) VALUES ($1, $2) \
            ON CONFLICT (fingerprint) DO NOTHING
            """,
            .blob(proof.fingerprint),
            .time(end)
        ) == 1
    }

    /// Removes a proof that was consumed by a request that had no effect.
    ///
    /// - Throws: ``DatabaseError``.
    static func remove(_ proof: PresentedProof, in transaction: borrowing Transaction) throws(DatabaseError) {
        try transaction.execute("DELETE FROM seen_proofs WHERE fingerprint = $1", .blob(proof.fingerprint))
    }

    /// Deletes the proofs that are no longer fresh, in order of expiry.
    ///
    /// - Parameters:
    ///   - now: The current time.
    ///   - limit: The maximum number of proofs to delete.
    ///   - transaction: The transaction to delete in.
    /// - Returns: The number of deleted proofs.
    /// - Throws: ``DatabaseError``.
    package static func deleteExpired(
        at now: Timestamp,
        atMost limit: Int,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) -> Int {
        try transaction.execute(
            """
            DELETE FROM seen_proofs WHERE fingerprint IN \
            (SELECT fingerprint FROM seen_proofs WHERE expires_at < $1 ORDER BY expires_at LIMIT $2)
            """,
            .time(now),
            .integer(Int64(limit))
        )
    }
}
