/// A migration of the database schema.
///
/// Migrations are applied in order, each once, in its own transaction and under a lock.
///
/// Each module defines the migrations for its tables. A released migration must never be changed.
package struct Migration: Sendable {
    /// The number that is recorded once the migration is applied.
    ///
    /// Numbers are unique across all modules, but not necessarily consecutive.
    package let version: Int64

    /// A short name for logs and errors.
    package let name: String

    /// The statements that migrate a SQLite database, in order.
    package let sqlite: [SQL]

    /// The statements for PostgreSQL, which lead to the same schema.
    ///
    /// They use `BYTEA` for `BLOB`, `BIGINT` for `INTEGER`, and `TEXT COLLATE "C"` for `TEXT`, so that the
    /// sort order does not depend on the system's locale.
    package let postgreSQL: [SQL]

    /// Creates a migration from two lists of statements that lead to the same schema.
    package init(version: Int64, name: String, sqlite: [SQL], postgreSQL: [SQL]) {
        self.version = version
        self.name = name
        self.sqlite = sqlite
        self.postgreSQL = postgreSQL
    }
}

extension [Migration] {
    /// The migrations of this module: key fingerprints and leases.
    package static var kit: [Migration] { [.serverKeys, .leases] }
}
