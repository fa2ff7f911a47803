import LatchkeyAccounts
import LatchkeyModel
import LatchkeyServerKit

/// The replay cache for DPoP proofs, which is shared by all nodes that use the same database.
///
/// This cache is only used if the database is shared. A single server only needs ``DPoPReplayCache``.
enum SeenProofRepository {
    /// Stores a proof until it is no longer fresh.
    ///
    /// - Returns: `false` if the proof has already been stored.
    /// - Parameters:
    ///   - proof: The proof, of which only the fingerprint is stored.
    ///   - end: The time after which the row can be deleted. Until the row is deleted, copies of the proof
    ///     are rejected.
    ///   - transaction: The database transaction that the proof is stored in. The proof is consumed when the
    ///     transaction is committed.
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

    /// Deletes proofs that are no longer fresh, starting with the one that expired first.
    ///
    /// - Parameters:
    ///   - now: The current time.
    ///   - limit: The maximum number of proofs to delete.
    ///   - transaction: The database transaction that the proofs are deleted in.
    /// - Returns: The number of deleted proofs.
    /// - Throws: ``DatabaseError``.
    static func deleteExpired(
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
