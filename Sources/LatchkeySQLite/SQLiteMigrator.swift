import LatchkeyModel
import LatchkeyServerKit

/// Applies schema migrations.
///
/// Several processes can run a migrator at the same time.
struct SQLiteMigrator {
    private let connection: SQLiteConnection
    private let migrations: [Migration]

    /// Creates a migrator.
    ///
    /// The migrations can be in any order.
    init(_ connection: SQLiteConnection, migrations: [Migration]) {
        self.connection = connection
        self.migrations = migrations
    }

    /// Applies all missing migrations in order of their versions.
    ///
    /// Each migration is committed separately. If a migration fails, the migrations before it stay applied,
    /// and the next run continues with the failed one.
    ///
    /// - Parameter now: The time to record for each applied migration.
    ///
    /// - Throws: `failed` if the file contains migrations that this version of Latchkey doesn't know.
    func run(now: Timestamp) throws(DatabaseError) {
        while try applyNext(now: now) {}
    }

    /// Applies the next missing migration in its own transaction and returns whether there are more.
    ///
    /// We read the list of missing migrations while holding the write lock, so that no other process can
    /// apply the same migration.
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

    /// Returns the missing migrations.
    ///
    /// If the migrations table doesn't exist, it is created first.
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
        let rows = try connection.execute(Self.applied).rows
        let applied = Set(try rows.map { row throws(DatabaseError) in try row.integer(0) })
        try Self.refuseNewer(applied, than: migrations)
        return migrations.filter { !applied.contains($0.version) }.sorted { $0.version < $1.version }
    }

    /// The versions of the migrations that have been applied.
    static let applied: SQL = "SELECT version FROM latchkey_migrations"

    /// Throws `failed` if a database contains migrations that this version of Latchkey doesn't know.
    static func refuseNewer(_ applied: Set<Int64>, than migrations: [Migration]) throws(DatabaseError) {
        let newest = migrations.map(\.version).max() ?? 0
        guard let unknown = applied.max(), unknown > newest else { return }
        throw DatabaseError(
            .failed,
            message:
                "The database has schema version \(unknown), but this version of Latchkey only supports "
                + "versions up to \(newest). Open it with the newer version of Latchkey that wrote it."
        )
    }
}
