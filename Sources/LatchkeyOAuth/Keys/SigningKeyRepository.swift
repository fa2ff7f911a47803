import LatchkeyCrypto
import LatchkeyModel
import LatchkeyServerKit

/// Stores the signing keys, which all nodes share.
struct SigningKeyRepository: Sendable {
    let database: any Database

    /// Returns all keys, sorted by algorithm and number: first those for ES256, then those for RS256.
    ///
    /// - Throws: ``DatabaseError``, or ``CryptoError`` if a stored public key is damaged.
    func all() async throws -> [SigningKeyRecord] {
        let rows = try await database.rows(
            "SELECT alg, number, signs_from, public_key, sealed FROM signing_keys ORDER BY alg, number"
        )
        return try rows.map { row in
            guard let algorithm = SigningAlgorithm(rawValue: try row.text(0)) else {
                throw DatabaseError(.mismatch, message: "The algorithm of a signing key is unknown.")
            }
            return SigningKeyRecord(
                number: try row.integer(1),
                signsFrom: try row.time(2),
                publicKey: try JWSVerifyingKey(der: try row.blob(3), algorithm: algorithm),
                sealed: try row.blob(4)
            )
        }
    }

    /// Stores a key and deletes other keys in one transaction.
    ///
    /// If another node has already stored a key with the same algorithm and number, that key is kept.
    ///
    /// - Parameters:
    ///   - record: The key to store, or `nil` to only delete keys. If two nodes store a key with the same
    ///     algorithm and number, only the first one to commit succeeds, so the caller must read the keys again.
    ///   - outlived: The algorithms and numbers of the keys to delete. Unknown keys are ignored.
    ///   - now: The current time, which is stored as the time of creation.
    /// - Throws: ``DatabaseError``, in which case no changes are made.
    func change(
        adding record: SigningKeyRecord?,
        deleting outlived: [(algorithm: SigningAlgorithm, number: Int64)],
        at now: Timestamp
    ) async throws {
        try await database.transaction { transaction in
            if let record {
                try transaction.execute(
                    """
                    INSERT INTO signing_keys (alg, number, signs_from, public_key, sealed, created_at) \
                    VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT DO NOTHING
                    """,
                    .text(record.algorithm.rawValue),
                    .integer(record.number),
                    .time(record.signsFrom),
                    .blob(record.publicKey.der),
                    .blob(record.sealed),
                    .time(now)
                )
            }
            for (algorithm, number) in outlived {
                try transaction.execute(
                    "DELETE FROM signing_keys WHERE alg = $1 AND number = $2",
                    .text(algorithm.rawValue),
                    .integer(number)
                )
            }
        }
    }
}
