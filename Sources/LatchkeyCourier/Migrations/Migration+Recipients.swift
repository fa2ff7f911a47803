import LatchkeyServerKit

extension Migration {
    /// Adds a plain-text column for the recipient, so that operators can find messages by recipient.
    ///
    /// The content of messages remains encrypted.
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
