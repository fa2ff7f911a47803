extension Migration {
    /// Creates the table that stores key fingerprints (``KeyRegister``).
    static let serverKeys = Migration(
        version: 6,
        name: "server keys",
        sqlite: [
            """
            CREATE TABLE server_keys (
                kind TEXT PRIMARY KEY,
                fingerprints BLOB NOT NULL,
                updated_at INTEGER NOT NULL
            ) STRICT, WITHOUT ROWID
            """
        ],
        postgreSQL: [
            """
            CREATE TABLE server_keys (
                kind TEXT COLLATE "C" PRIMARY KEY,
                fingerprints BYTEA NOT NULL,
                updated_at BIGINT NOT NULL
            )
            """
        ]
    )
}
