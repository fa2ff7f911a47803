import LatchkeyModel
import LatchkeyServerKit

/// A migrator for the database schema, which can run on several nodes concurrently.
struct PostgreSQLMigrator {
    private let connection: PostgreSQLConnection
    private let migrations: [Migration]

    /// Creates a migrator from migrations in any order, and a connection that must not be used for any other
    /// purpose afterwards.
    init(_ connection: PostgreSQLConnection, migrations: [Migration]) {
        self.connection = connection
        self.migrations = migrations
    }

    /// Applies the missing migrations, ordered by version.
    ///
    /// Each migration is committed separately, so an error leaves the earlier migrations applied. The call
    /// blocks without a time limit while a migration runs, but it waits at most 60 seconds for each lock that
    /// another node holds.
    ///
    /// - Parameter now: The time to record with each applied migration.
    ///
    /// - Throws: `failed` if the database has migrations that this version of Latchkey does not know.
    func run(now: Timestamp) throws(DatabaseError) {
        do throws(PostgreSQLFailure) {
            // A migration of a large table may take a long time, but the wait for another node's migration is
            // limited.
            _ = try connection.run("SET statement_timeout = 0", by: nil)
            _ = try connection.run("SET lock_timeout = '60s'", by: nil)
            while try applyNext(now: now) {}
        } catch {
            throw error.error
        }
    }

    /// Applies the next missing migration in its own transaction, and returns whether more are missing.
    ///
    /// The missing migrations are read after the lock is acquired, so that migrations committed by other
    /// nodes are seen.
    private func applyNext(now: Timestamp) throws(PostgreSQLFailure) -> Bool {
        try execute("BEGIN ISOLATION LEVEL READ COMMITTED")
        do throws(PostgreSQLFailure) {
            // The key of the lock consists of the ASCII codes of "latchkey", so other applications are
            // unlikely to use it.
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

    /// Returns the missing migrations, and creates the migrations table if it does not exist.
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
