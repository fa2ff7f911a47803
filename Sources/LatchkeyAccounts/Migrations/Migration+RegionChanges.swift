import LatchkeyServerKit

extension Migration {
    /// Adds the time at which a user last changed the account's region.
    static let regionChanges = Migration(
        version: 22,
        name: "region changes",
        sqlite: ["ALTER TABLE identities ADD COLUMN region_changed_at INTEGER"],
        postgreSQL: ["ALTER TABLE identities ADD COLUMN region_changed_at BIGINT"]
    )
}
