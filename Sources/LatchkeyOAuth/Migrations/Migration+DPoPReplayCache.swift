import LatchkeyServerKit

extension Migration {
    /// Creates the table for the replay cache of DPoP proofs.
    ///
    /// The database is shared by all nodes. Each row contains the fingerprint of a proof
    /// (``PresentedProof/fingerprint``) and the time after which the row can be deleted.
    static let seenProofs = Migration(
        version: 13,
        name: "seen proofs",
        sqlite: [
            """
            CREATE TABLE seen_proofs (
                fingerprint BLOB NOT NULL PRIMARY KEY,
                expires_at INTEGER NOT NULL
            ) STRICT, WITHOUT ROWID
            """,
            "CREATE INDEX seen_proofs_expiry ON seen_proofs (expires_at)",
        ],
        postgreSQL: [
            """
            CREATE TABLE seen_proofs (
                fingerprint BYTEA NOT NULL PRIMARY KEY,
                expires_at BIGINT NOT NULL
            )
            """,
            "CREATE INDEX seen_proofs_expiry ON seen_proofs (expires_at)",
        ]
    )
}
