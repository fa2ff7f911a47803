/// A change to the database schema.
///
/// Migrations are applied in order, once each. Every migration runs in its own transaction and holds a lock.
///
/// Each module defines the migrations for its own tables. After a migration has been released, it must never
/// be changed.
///
/// Ids are stored as 16 bytes, times in microseconds since 1970, and Booleans as 0 or 1. Text is compared byte
/// by byte.
package struct Migration: Sendable {
    /// The number that is recorded once the migration has been applied.
    ///
    /// Numbers must be unique across all modules, but there can be gaps.
    package let version: Int64

    /// A short name for log and error messages.
    package let name: String

    /// The statements that migrate an SQLite database, in order.
    package let sqlite: [SQL]

    /// The statements that migrate a PostgreSQL database to the same schema.
    ///
    /// The types `BYTEA`, `BIGINT` and `TEXT COLLATE "C"` replace SQLite's `BLOB`, `INTEGER` and `TEXT`. With
    /// the collation "C", the sort order doesn't depend on the system's locale.
    package let postgreSQL: [SQL]

    /// Creates a migration.
    ///
    /// The SQLite and PostgreSQL statements must produce the same schema.
    package init(version: Int64, name: String, sqlite: [SQL], postgreSQL: [SQL]) {
        self.version = version
        self.name = name
        self.sqlite = sqlite
        self.postgreSQL = postgreSQL
    }
}
