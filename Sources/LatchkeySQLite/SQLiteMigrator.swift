import LatchkeyModel
import LatchkeyServerCore

/// Brings the schema of a file up to date; safe when several processes do so at once.
struct SQLiteMigrator {
    private let connection: SQLiteConnection
    private let migrations: [Migration]

    init(_ connection: SQLiteConnection, _ migrations: [Migration]) {
        self.connection = connection
        self.migrations = migrations
    }

    /// Applies the steps that are missing.
    ///
    /// - Throws: `failed` when the file has steps that this version does not know.
    func run(now: Timestamp) throws(DatabaseError) {
        while try applyNext(now: now) {}
    }

    /// Applies one step, if one is missing, in a transaction of its own.
    ///
    /// What is missing is read under the write lock, so that no other process can be at the same step.
    private func applyNext(now: Timestamp) throws(DatabaseError) -> Bool {
        try connection.execute("BEGIN IMMEDIATE")
        do throws(DatabaseError) {
            let missing = try missing()
            if let next = missing.first {
                for statement in next.sqlite { try connection.execute(statement) }
                try connection.execute(
                    "INSERT INTO latchkey_migrations (version, name, applied_at) VALUES ($1, $2, $3)",
                    [.integer(next.version), .text(next.name), .time(now)]
                )
            }
            try connection.execute("COMMIT")
            return missing.count > 1
        } catch {
            if connection.isInTransaction { _ = try? connection.execute("ROLLBACK") }
            throw error
        }
    }

    private func missing() throws(DatabaseError) -> [Migration] {
        try connection.execute(
            """
            CREATE TABLE IF NOT EXISTS latchkey_migrations (
                version INTEGER PRIMARY KEY,
                name TEXT NOT NULL,
                applied_at INTEGER NOT NULL
            ) STRICT
            """
        )
        let rows = try connection.execute("SELECT version FROM latchkey_migrations").rows
        let applied = Set(try rows.map { row throws(DatabaseError) in try row.integer(0) })
        let newest = migrations.map(\.version).max() ?? 0
        if let unknown = applied.max(), unknown > newest {
            throw DatabaseError(
                .failed,
                "The database has schema \(unknown), this version knows \(newest): "
                    + "it was written by a newer version, which is needed to open it."
            )
        }
        return migrations.filter { !applied.contains($0.version) }.sorted { $0.version < $1.version }
    }
}
