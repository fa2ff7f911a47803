/// A step of the database schema; each is applied once, in order, in its own transaction and under a lock.
///
/// Each module brings the steps of its tables. A released step must never be changed.
package struct Migration: Sendable {
    /// The number that is recorded once the step is applied; unique among all modules, with gaps.
    package let version: Int64

    /// A short name for logs and errors.
    package let name: String

    /// The statements for SQLite, in order.
    package let sqlite: [SQL]

    /// The statements for PostgreSQL, which create the same tables.
    ///
    /// They use `BYTEA` for `BLOB`, `BIGINT` for every `INTEGER`, and `TEXT COLLATE "C"` for `TEXT`, so that
    /// the order does not depend on the locale of the system.
    package let postgreSQL: [SQL]

    /// Creates a step; both lists must lead to the same schema.
    package init(version: Int64, name: String, sqlite: [SQL], postgreSQL: [SQL]) {
        self.version = version
        self.name = name
        self.sqlite = sqlite
        self.postgreSQL = postgreSQL
    }
}

extension [Migration] {
    /// The steps of this module: key fingerprints and leases.
    package static var kit: [Migration] { [.serverKeys, .leases] }
}
