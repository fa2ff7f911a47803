extension Migration {
    /// Creates the tables for key fingerprints (``KeyRegister``) and for leases (``Lease``).
    static let kit = Migration(
        version: 1,
        name: "kit",
        sqlite: [
            """
            CREATE TABLE server_keys (
                kind TEXT PRIMARY KEY,
                fingerprints BLOB NOT NULL,
                updated_at INTEGER NOT NULL
            ) STRICT, WITHOUT ROWID
            """,
            """
            CREATE TABLE leases (
                name TEXT PRIMARY KEY,
                held_until INTEGER NOT NULL
            ) STRICT, WITHOUT ROWID
            """,
        ],
        postgreSQL: [
            """
            CREATE TABLE server_keys (
                kind TEXT COLLATE "C" PRIMARY KEY,
                fingerprints BYTEA NOT NULL,
                updated_at BIGINT NOT NULL
            )
            """,
            """
            CREATE TABLE leases (
                name TEXT COLLATE "C" PRIMARY KEY,
                held_until BIGINT NOT NULL
            )
            """,
        ]
    )
}
