package import LatchkeyServerKit

/// A database file that is read without creating or changing any files.
///
/// Use this type to check a database that a server may be using.
package final class SQLiteSnapshot: Database {
    private let readers: SQLiteReaders

    /// This broadcast never publishes anything, because the file isn't watched.
    package let broadcast = Broadcast()

    /// The outcome of writes, which never happen.
    package let writes = WriteHealth()

    /// Opens an existing database file.
    ///
    /// - Parameters:
    ///   - path: The path of the file.
    ///   - migrations: The schema migrations that this version of Latchkey knows.
    /// - Throws: ``DatabaseError`` if the file isn't a database, or if it was written by a newer version.
    package init(of path: String, migrations: [Migration]) throws(DatabaseError) {
        readers = SQLiteReaders(of: .unchanged(path), busyTimeout: SQLiteOptions().busyTimeout)
        guard try hasTable("latchkey_migrations") else { return }
        let applied = try readers.rows(SQLiteMigrator.applied, [])
        try SQLiteMigrator.refuseNewer(
            Set(applied.map { row throws(DatabaseError) in try row.integer(0) }),
            than: migrations
        )
    }

    /// Returns whether the database contains a table.
    package func hasTable(_ name: String) throws(DatabaseError) -> Bool {
        try !readers.rows("SELECT 1 FROM sqlite_schema WHERE name = $1", [.text(name)]).isEmpty
    }

    package func rows(_ sql: SQL, _ values: [SQLValue]) async throws(DatabaseError) -> [Row] {
        try readers.rows(sql, values)
    }

    /// Fails, because a snapshot can't be changed.
    package func transaction<Outcome: Sendable>(
        _ body: @escaping @Sendable (borrowing Transaction) throws -> Outcome
    ) async throws -> Outcome {
        throw DatabaseError(.failed, message: "A snapshot of a database cannot be changed.")
    }

    /// Closes the connections.
    package func close() async {
        broadcast.close()
        readers.close()
    }
}
