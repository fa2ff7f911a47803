import LatchkeyServerKit

extension Migration {
    /// Adds the date on which an account will be erased because its owner has deleted it.
    static let deletion = Migration(
        version: 16,
        name: "deletion",
        sqlite: ["ALTER TABLE identities ADD COLUMN deletion_at INTEGER"] + sharedDeletion,
        postgreSQL: ["ALTER TABLE identities ADD COLUMN deletion_at BIGINT"] + sharedDeletion
    )

    /// The statements that are the same in both dialects.
    private static let sharedDeletion: [SQL] = [
        "CREATE INDEX identities_deletion ON identities (deletion_at) WHERE deletion_at IS NOT NULL"
    ]
}
