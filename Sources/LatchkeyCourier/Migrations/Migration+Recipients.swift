import LatchkeyServerKit

extension Migration {
    /// Adds a plain-text column in which operators can find the recipients of messages, whose content remains
    /// sealed.
    static let recipients = Migration(
        version: 8,
        name: "recipients",
        sqlite: [
            "ALTER TABLE messages ADD COLUMN recipient TEXT",
            "CREATE INDEX messages_recipient ON messages (recipient, id) WHERE recipient IS NOT NULL",
        ],
        postgreSQL: [
            #"ALTER TABLE messages ADD COLUMN recipient TEXT COLLATE "C""#,
            "CREATE INDEX messages_recipient ON messages (recipient, id) WHERE recipient IS NOT NULL",
        ]
    )
}
