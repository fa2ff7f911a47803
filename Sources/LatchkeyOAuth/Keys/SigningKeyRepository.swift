import LatchkeyCrypto
import LatchkeyModel
import LatchkeyServerKit

/// A repository of access token signing keys, which all nodes share.
struct SigningKeyRepository: Sendable {
    let database: any Database

    /// Returns all keys, sorted by number.
    ///
    /// - Throws: ``DatabaseError``; ``CryptoError`` if a stored public key is damaged.
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

    /// Stores a key, unless another node has stored one with its number before, and deletes other keys in the
    /// same transaction.
    ///
    /// - Parameters:
    ///   - record: The key to store; `nil` only deletes. Of two keys with the same number, the one that was
    ///     committed first is stored, so the caller must read the keys again.
    ///   - numbers: The keys to delete; missing ones are ignored.
    ///   - now: The time of creation to store with the key.
    /// - Throws: ``DatabaseError``; no change is stored then.
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
