extension Migration {
    /// Creates the `leases` table.
    ///
    /// Nodes use leases to make sure that only one of them runs a task at a time.
    static let leases = Migration(
        version: 9,
        name: "leases",
        sqlite: [
            """
            CREATE TABLE leases (
                name TEXT PRIMARY KEY,
                held_until INTEGER NOT NULL
            ) STRICT, WITHOUT ROWID
            """
        ],
        postgreSQL: [
            """
            CREATE TABLE leases (
                name TEXT COLLATE "C" PRIMARY KEY,
                held_until BIGINT NOT NULL
            )
            """
        ]
    )
}
