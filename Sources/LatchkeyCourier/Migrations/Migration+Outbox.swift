import LatchkeyServerKit

extension Migration {
    /// Adds the channel to the outbox index, because each channel has its own workers.
    static let outbox = Migration(
        version: 7,
        name: "outbox",
        sqlite: [
            "CREATE INDEX messages_outbox ON messages (status, channel, due_at)",
            "DROP INDEX messages_due",
        ],
        postgreSQL: [
            "CREATE INDEX messages_outbox ON messages (status, channel, due_at)",
            "DROP INDEX messages_due",
        ]
    )
}
