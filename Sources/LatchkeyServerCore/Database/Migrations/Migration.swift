/// One step of the database's schema; applied once, in order, each in a transaction, under a lock.
package struct Migration: Sendable {
    /// The number that is written down when the step is done.
    package let version: Int64

    /// What the step is about.
    package let name: String

    /// The statements for SQLite.
    package let sqlite: [StaticString]

    /// The statements for PostgreSQL, which lead to the same tables: `BYTEA` for `BLOB`, `BIGINT` for every
    /// `INTEGER`, and `TEXT COLLATE "C"` for `TEXT`, so that order does not depend on the system's languages.
    package let postgreSQL: [StaticString]

    package init(version: Int64, name: String, sqlite: [StaticString], postgreSQL: [StaticString]) {
        self.version = version
        self.name = name
        self.sqlite = sqlite
        self.postgreSQL = postgreSQL
    }

    /// All steps, oldest first; a step that was released is never changed.
    package static let all: [Migration] = [
        .initial, .tokens, .identities, .audit, .codes, .serverKeys, .outbox, .recipients, .leases,
        .ownership, .bounds, .seenProofs,
    ]
}
