import LatchkeyServerKit

extension Migration {
    /// Creates the replay cache of accepted proofs of possession, which the nodes share.
    ///
    /// A row has the fingerprint of a proof (``PresentedProof/fingerprint``) and the time from which it can
    /// be deleted.
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
