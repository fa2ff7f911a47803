import LatchkeyCrypto
import LatchkeyModel

/// Where the keys of access tokens are kept, for all nodes.
struct SigningKeyRepository: Sendable {
    let database: any Database

    /// All keys, the oldest first.
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

    /// Adds a key, unless another node was first with one of its number, and deletes others.
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
