import LatchkeyModel
import LatchkeyServerKit

/// Applies schema migrations.
///
/// Several nodes can run a migrator at the same time.
struct PostgreSQLMigrator {
    private let connection: PostgreSQLConnection
    private let migrations: [Migration]

    /// Creates a migrator.
    ///
    /// The migrations can be in any order. The connection must not be used for anything else afterwards.
    init(_ connection: PostgreSQLConnection, migrations: [Migration]) {
        self.connection = connection
        self.migrations = migrations
    }

    /// Applies all missing migrations in order of their versions.
    ///
    /// Each migration is committed separately, so if one fails, the earlier ones stay applied. Migrations
    /// themselves can run for as long as they need, but this method waits at most 60 seconds for a lock held
    /// by another node.
    ///
    /// - Parameter now: The time to record for each applied migration.
    ///
    /// - Throws: `failed` if the database contains migrations that this version of Latchkey doesn't know.
    func run(now: Timestamp) throws(DatabaseError) {
        do throws(PostgreSQLFailure) {
            // Migrating a large table can take a long time, but we limit how long we wait for another node's
            // migration.
            _ = try connection.run("SET statement_timeout = 0", by: nil)
            _ = try connection.run("SET lock_timeout = '60s'", by: nil)
            while try applyNext(now: now) {}
        } catch {
            throw error.error
        }
    }

    /// Applies the next missing migration in its own transaction and returns whether there are more.
    ///
    /// We read the list of missing migrations after acquiring the lock, so that it accounts for migrations
    /// that other nodes have committed.
    private func applyNext(now: Timestamp) throws(PostgreSQLFailure) -> Bool {
        try execute("BEGIN ISOLATION LEVEL READ COMMITTED")
        do throws(PostgreSQLFailure) {
            // The lock key spells "latchkey" in ASCII, so other applications are unlikely to use it.
            try execute("SELECT pg_advisory_xact_lock(7809651199139603833) IS NULL")
            let missing = try missing()
            if let next = missing.first {
                for statement in next.postgreSQL { try execute(statement) }
                try execute(
                    "INSERT INTO latchkey_migrations (version, name, applied_at) VALUES ($1, $2, $3)",
                    [.integer(next.version), .text(next.name), .time(now)]
                )
            }
            try execute("COMMIT")
            return missing.count > 1
        } catch {
            if error.effect != .connection { _ = try? connection.run("ROLLBACK", by: nil) }
            throw error
        }
    }

    /// Returns the missing migrations.
    ///
    /// If the migrations table doesn't exist, it is created first.
    private func missing() throws(PostgreSQLFailure) -> [Migration] {
        try execute(
            """
            CREATE TABLE IF NOT EXISTS latchkey_migrations (
                version BIGINT PRIMARY KEY,
                name TEXT NOT NULL,
                applied_at BIGINT NOT NULL
            )
            """
        )
        let rows = try execute("SELECT version FROM latchkey_migrations").rows
        let applied: Set<Int64>
        do throws(DatabaseError) {
            applied = Set(try rows.map { row throws(DatabaseError) in try row.integer(0) })
        } catch {
            throw PostgreSQLFailure(.statement, code: error.code, message: error.message)
        }
        let newest = migrations.map(\.version).max() ?? 0
        if let unknown = applied.max(), unknown > newest {
            throw PostgreSQLFailure(
                .statement,
                code: .failed,
                message:
                    "The database has schema version \(unknown), but this version of Latchkey only supports "
                    + "versions up to \(newest). Open it with the newer version of Latchkey that wrote it."
            )
        }
        return migrations.filter { !applied.contains($0.version) }.sorted { $0.version < $1.version }
    }

    @discardableResult
    private func execute(
        _ sql: SQL,
        _ values: [SQLValue] = []
    ) throws(PostgreSQLFailure) -> StatementOutcome {
        try connection.run(sql, values, by: nil)
    }
}
