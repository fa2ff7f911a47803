import Foundation
package import LatchkeyModel
import LatchkeyPostgreSQL
import LatchkeySQLite
import LatchkeyServer
package import LatchkeyServerKit

/// The databases that tests can run with.
package enum TestDatabase: String, CaseIterable, Sendable {
    case sqlite
    case postgreSQL = "postgresql"

    /// The databases to use in this run.
    ///
    /// By default, tests run with both databases. The environment variable `TEST_DATABASE` selects a single
    /// database.
    package static let all: [TestDatabase] = {
        let name = ProcessInfo.processInfo.environment["TEST_DATABASE"]
        return allCases.filter { name == nil || $0.rawValue == name }
    }()

    /// The database that the current test uses.
    @TaskLocal package static var current = TestDatabase.sqlite

    /// The scope of the current test.
    @TaskLocal static var scope: TestScope?

    /// Opens a database that has the server's schema and no rows.
    ///
    /// The database is either in memory or on the shared PostgreSQL server.
    package func open(time: any TimeSource = SystemTime()) async throws -> any Database {
        switch self {
        case .sqlite:
            return try await SQLiteDatabase.open(.memory, migrations: .all, time: time)
        case .postgreSQL:
            // If a test already has a lease, it must not wait for other tests because they may be waiting for
            // that lease.
            let lease = try await PostgresPool.shared.lend(waits: Self.scope?.hasLease != true)
            let database = LeasedDatabase(
                try await PostgreSQLDatabase.open(
                    PostgreSQLLocation(Secret(lease.url)),
                    // The limits are generous because the machine may be busy with other tests.
                    options: PostgreSQLOptions(
                        readers: 2,
                        writers: 4,
                        statementTimeout: .seconds(60),
                        waitTimeout: .seconds(60)
                    ),
                    migrations: .all
                ),
                lease
            )
            Self.scope?.add(database)
            return database
        }
    }
}
