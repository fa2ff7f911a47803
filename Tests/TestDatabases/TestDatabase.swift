import Foundation
package import LatchkeyModel
import LatchkeyPostgreSQL
import LatchkeySQLite
import LatchkeyServer
package import LatchkeyServerKit

/// The databases on which tests run.
package enum TestDatabase: String, CaseIterable, Sendable {
    case sqlite
    case postgreSQL = "postgresql"

    /// The databases of this run, which are both, or the one that the variable `TEST_DATABASE` names.
    package static let all: [TestDatabase] = {
        let name = ProcessInfo.processInfo.environment["TEST_DATABASE"]
        return allCases.filter { name == nil || $0.rawValue == name }
    }()

    /// The database of the current test.
    @TaskLocal package static var current = TestDatabase.sqlite

    /// The scope of the current test.
    @TaskLocal static var scope: TestScope?

    /// Opens a database with the server's schema and no rows, in memory or on the shared PostgreSQL server.
    package func open(time: any TimeSource = SystemTime()) async throws -> any Database {
        switch self {
        case .sqlite:
            return try await SQLiteDatabase.open(.memory, migrations: .all, time: time)
        case .postgreSQL:
            // A test that has a lease does not wait for other tests, which may wait for that lease.
            let lease = try await PostgresPool.shared.lend(waits: Self.scope?.hasLease != true)
            let database = LeasedDatabase(
                try await PostgreSQLDatabase.open(
                    PostgreSQLLocation(Secret(lease.url)),
                    // The limits are generous, because the machine may be busy with other tests.
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
