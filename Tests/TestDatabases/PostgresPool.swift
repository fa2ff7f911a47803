import LatchkeyModel
import LatchkeyPostgreSQL
import LatchkeyServer
import TestProcesses

/// A pool of empty databases on a single PostgreSQL server.
///
/// The server is shared by all tests, but each database is leased to only one test at a time.
package actor PostgresPool {
    /// The pool for this process.
    package static let shared = PostgresPool()

    /// The maximum number of leased databases.
    ///
    /// The number of server connections is limited.
    private static let limit = 12

    private var preparing: Task<PostgresCluster, any Error>?
    private var idle: [PooledDatabase] = []
    private var lent = 0
    private var made = 0
    private var waiting: [CheckedContinuation<Void, Never>] = []

    /// Leases a database that has the server's schema and no rows.
    ///
    /// - Parameter waits: Whether to wait for a free database. Pass `false` in a test that already has a
    ///   database, because other tests may be waiting for it.
    /// - Returns: A lease on the database. Releasing the lease returns the database to the pool.
    /// - Throws: An error if the database cannot be created or emptied.
    package func lend(waits: Bool = true) async throws -> PostgresLease {
        if waits, lent >= Self.limit {
            await withCheckedContinuation { waiting.append($0) }
        } else {
            lent += 1
        }
        do {
            let kept = idle.popLast()
            let database = if let kept { kept } else { try await make() }
            try await database.empty()
            return PostgresLease(database)
        } catch {
            release()
            throw error
        }
    }

    /// Creates an empty database that isn't part of the pool.
    ///
    /// - Parameter encoding: The encoding for text in the database.
    /// - Returns: The URL of the database.
    /// - Throws: An error if the database cannot be created.
    package func makeBare(encoding: String = "UTF8") async throws -> String {
        let cluster = try await cluster()
        made += 1
        let name = "bare\(made)"
        try await AdminConnection(cluster.url()).run(
            "CREATE DATABASE \(name) TEMPLATE template0 ENCODING '\(encoding)'"
        )
        return cluster.url(name)
    }

    /// Terminates all connections to a leased database on the server.
    package func breakConnections(to lease: PostgresLease) async throws {
        try await lease.database.breakConnections()
    }

    /// Terminates all connections to a database that was created with ``makeBare(encoding:)``.
    package func breakConnections(toBare url: String) async throws {
        try await AdminConnection(url).run(PooledDatabase.termination)
    }

    /// Returns how many statements in a leased database are waiting for the given PostgreSQL event type.
    package func statements(waitingFor kind: String, in lease: PostgresLease) async throws -> Int {
        try await lease.database.statements(waitingFor: kind)
    }

    /// Returns a database to the pool once all connections to the database have been closed.
    fileprivate func take(_ database: PooledDatabase) {
        idle.append(database)
        release()
    }

    private func release() {
        if waiting.isEmpty || lent > Self.limit { lent -= 1 } else { waiting.removeFirst().resume() }
    }

    private func make() async throws -> PooledDatabase {
        let cluster = try await cluster()
        made += 1
        let name = "test\(made)"
        try await AdminConnection(cluster.url()).run("CREATE DATABASE \(name) TEMPLATE migrated")
        return PooledDatabase(url: cluster.url(name))
    }

    /// Returns the PostgreSQL server, which is started when it is first needed.
    ///
    /// The server contains the database that all others are copied from.
    private func cluster() async throws -> PostgresCluster {
        if let preparing { return try await preparing.value }
        let task = Task {
            let cluster = try await PostgresCluster()
            try await AdminConnection(cluster.url()).run("CREATE DATABASE migrated")
            let location = try PostgreSQLLocation(Secret(cluster.url("migrated")))
            try await PostgreSQLDatabase.open(location, migrations: .all).close()
            return cluster
        }
        preparing = task
        return try await task.value
    }
}

/// A lease on a test database.
///
/// The lease ends when it is released or deallocated.
package final class PostgresLease: Sendable {
    fileprivate let database: PooledDatabase
    private let isReturned = Locked(false)

    fileprivate init(_ database: PooledDatabase) {
        self.database = database
    }

    deinit {
        giveBack()
    }

    /// The URL of the database.
    package var url: String { database.url }

    /// Ends the lease and returns the database to the pool.
    package func giveBack() {
        let isFirst = isReturned.withLock { isReturned in
            defer { isReturned = true }
            return !isReturned
        }
        if isFirst { Task.detached { [database] in await PostgresPool.shared.take(database) } }
    }
}

/// A database in the pool.
private struct PooledDatabase: Sendable {
    let url: String
    private let admin: AdminConnection

    init(url: String) {
        self.url = url
        admin = AdminConnection(url)
    }

    func breakConnections() async throws {
        try await admin.run(Self.termination)
    }

    /// The statement that terminates all other connections to the database.
    static let termination = """
        SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity
        WHERE datname = current_database() AND pid <> pg_backend_pid()
        """

    func statements(waitingFor kind: String) async throws -> Int {
        let count = try await admin.run(
            """
            SELECT COUNT(*) FROM pg_stat_activity
            WHERE datname = current_database() AND wait_event_type = '\(kind)'
            """
        )
        return Int(count ?? "") ?? 0
    }

    /// Deletes all rows regardless of foreign keys and terminates other connections.
    func empty() async throws {
        try await admin.run(
            """
            SELECT pg_terminate_backend(pid) FROM pg_stat_activity
            WHERE datname = current_database() AND pid <> pg_backend_pid();
            SET session_replication_role = replica;
            DO $$ DECLARE name text; BEGIN
            FOR name IN SELECT tablename FROM pg_tables
            WHERE schemaname = 'public' AND tablename <> 'latchkey_migrations'
            LOOP EXECUTE format('DELETE FROM %I', name); END LOOP; END $$
            """
        )
    }
}
