extension Migration {
    /// Proofs of possession that a server has accepted, so that another one does not accept a copy.
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
