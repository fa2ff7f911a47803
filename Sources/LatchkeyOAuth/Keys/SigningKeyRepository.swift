import LatchkeyCrypto
import LatchkeyModel
import LatchkeyServerKit

/// Stores the access token signing keys, which all nodes share.
struct SigningKeyRepository: Sendable {
    let database: any Database

    /// Returns all keys, sorted by number.
    ///
    /// - Throws: ``DatabaseError``, or ``CryptoError`` if a stored public key is damaged.
    func all() async throws -> [SigningKeyRecord] {
        let rows = try await database.rows(
            "SELECT number, signs_from, public_key, sealed FROM signing_keys ORDER BY number"
        )
        return try rows.map { row in
            SigningKeyRecord(
                number: try row.integer(0),
                signsFrom: try row.time(1),
                publicKey: try VerifyingKey(der: try row.blob(2)),
                sealed: try row.blob(3)
            )
        }
    }

    /// Stores a key and deletes other keys in one transaction.
    ///
    /// If another node has already stored a key with the same number, that key is kept.
    ///
    /// - Parameters:
    ///   - record: The key to store, or `nil` to only delete keys. If two nodes store a key with the same
    ///     number, only the first one to commit succeeds, so the caller must read the keys again.
    ///   - numbers: The numbers of the keys to delete. Unknown numbers are ignored.
    ///   - now: The current time, which is stored as the time of creation.
    /// - Throws: ``DatabaseError``, in which case no changes are made.
    func change(adding record: SigningKeyRecord?, deleting numbers: [Int64], at now: Timestamp) async throws {
        try await database.transaction { transaction in
            if let record {
                try transaction.execute(
                    """
                    INSERT INTO signing_keys (number, signs_from, public_key, sealed, created_at) \
                    VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING
                    """,
                    .integer(record.number),
                    .time(record.signsFrom),
                    .blob(record.publicKey.der),
                    .blob(record.sealed),
                    .time(now)
                )
            }
            for number in numbers {
                try transaction.execute("DELETE FROM signing_keys WHERE number = $1", .integer(number))
            }
        }
    }
}
