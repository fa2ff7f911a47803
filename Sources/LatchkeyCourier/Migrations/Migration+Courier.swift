import LatchkeyServerKit

extension Migration {
    /// Creates the outbox.
    static let courier = Migration(
        version: 2,
        name: "courier",
        sqlite: [
            """
            CREATE TABLE messages (
                id BLOB PRIMARY KEY,
                identity_id BLOB,
                channel TEXT NOT NULL,
                template TEXT NOT NULL,
                recipient TEXT,
                sealed BLOB,
                status TEXT NOT NULL,
                attempts INTEGER NOT NULL,
                last_error TEXT,
                due_at INTEGER NOT NULL,
                leased_until INTEGER NOT NULL,
                created_at INTEGER NOT NULL,
                updated_at INTEGER NOT NULL
            ) STRICT, WITHOUT ROWID
            """
        ] + outboxIndexes,
        postgreSQL: [
            """
            CREATE TABLE messages (
                id BYTEA PRIMARY KEY,
                identity_id BYTEA,
                channel TEXT COLLATE "C" NOT NULL,
                template TEXT COLLATE "C" NOT NULL,
                recipient TEXT COLLATE "C",
                sealed BYTEA,
                status TEXT COLLATE "C" NOT NULL,
                attempts BIGINT NOT NULL,
                last_error TEXT COLLATE "C",
                due_at BIGINT NOT NULL,
                leased_until BIGINT NOT NULL,
                created_at BIGINT NOT NULL,
                updated_at BIGINT NOT NULL
            )
            """
        ] + outboxIndexes
    )

    private static let outboxIndexes: [SQL] = [
        // Each channel has its own workers.
        "CREATE INDEX messages_outbox ON messages (status, channel, due_at)",
        "CREATE INDEX messages_recipient ON messages (recipient, id) WHERE recipient IS NOT NULL",
        "CREATE INDEX messages_identity ON messages (identity_id) WHERE identity_id IS NOT NULL",
    ]
}
