import LatchkeyModel
import LatchkeyPostgreSQL
import LatchkeyServer
import LatchkeyServerKit
import TestDatabases
import Testing

/// Named counters that are stored in the rate limit table.
extension Database {
    func addCounter(_ name: String) async throws {
        try await transaction { try $0.addCounter(name) }
    }

    /// Returns the value of a counter, or `nil` if it does not exist.
    func counter(_ name: String) async throws -> Int64? {
        try await rows("SELECT expires_at FROM limits WHERE bucket = $1", .blob(Array(name.utf8))).first?
            .integer(0)
    }
}

extension Transaction {
    borrowing func addCounter(_ name: String) throws(DatabaseError) {
        try execute(
            "INSERT INTO limits (bucket, stamps, expires_at) VALUES ($1, $2, 0)",
            .blob(Array(name.utf8)),
            .blob([])
        )
    }

    @discardableResult
    borrowing func increase(_ name: String, ifIs expected: Int64? = nil) throws(DatabaseError) -> Bool {
        guard let expected else {
            return try execute(
                "UPDATE limits SET expires_at = expires_at + 1 WHERE bucket = $1",
                .blob(Array(name.utf8))
            ) == 1
        }
        return try execute(
            "UPDATE limits SET expires_at = expires_at + 1 WHERE bucket = $1 AND expires_at = $2",
            .blob(Array(name.utf8)),
            .integer(expected)
        ) == 1
    }
}

/// Runs a closure and returns the error that it throws as a `DatabaseError`.
func error(_ body: () async throws -> Void) async -> DatabaseError? {
    do {
        try await body()
        return nil
    } catch {
        return error as? DatabaseError ?? DatabaseError(.failed, message: "\(error)")
    }
}

/// An error that is thrown by a transaction's body.
struct Refusal: Error {}

/// A database for one PostgreSQL test.
///
/// The database is closed and returned to the pool when the test ends.
struct Lent: Sendable {
    let lease: PostgresLease
    let database: PostgreSQLDatabase

    init(_ options: PostgreSQLOptions = PostgreSQLOptions()) async throws {
        lease = try await PostgresPool.shared.lend()
        database = try await PostgreSQLDatabase.open(
            PostgreSQLLocation(Secret(lease.url)),
            options: options,
            migrations: .all
        )
    }

    func end() async {
        await database.close()
        lease.giveBack()
    }

    /// Terminates all of the driver's connections on the server.
    func breakConnections() async throws {
        try await PostgresPool.shared.breakConnections(to: lease)
    }

    /// Waits until one of the driver's statements is waiting for a lock.
    func statementWaits() async throws {
        try await wait(until: "a statement waits for a lock") {
            try await PostgresPool.shared.statements(waitingFor: "Lock", in: lease) > 0
        }
    }
}

extension PostgreSQLOptions {
    /// Options with long timeouts for busy machines.
    static func patient(readers: Int = 4, writers: Int = 8, attempts: Int = 64) -> PostgreSQLOptions {
        PostgreSQLOptions(
            readers: readers,
            writers: writers,
            statementTimeout: .seconds(60),
            waitTimeout: .seconds(60),
            attempts: attempts
        )
    }
}

/// Runs a test with a database that is leased from the pool.
func withPostgreSQL(
    _ options: PostgreSQLOptions = .patient(),
    body: (Lent) async throws -> Void
) async throws {
    let lent = try await Lent(options)
    do {
        try await body(lent)
        await lent.end()
    } catch {
        await lent.end()
        throw error
    }
}
