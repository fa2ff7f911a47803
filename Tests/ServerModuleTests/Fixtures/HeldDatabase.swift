import LatchkeyServerKit

/// A database that holds the result of the first read back until it is released.
final class HeldDatabase: Database {
    private let database: any Database
    private let started = Deferred<Void>()
    private let released = Deferred<Void>()

    init(_ database: any Database) { self.database = database }

    func waitForRead() async { await started.value }

    func release() { released.set(()) }

    func rows(_ sql: SQL, _ values: [SQLValue]) async throws(DatabaseError) -> [Row] {
        let rows = try await database.rows(sql, values)
        started.set(())
        await released.value
        return rows
    }

    func transaction<Outcome: Sendable>(
        _ body: @escaping @Sendable (borrowing Transaction) throws -> Outcome
    ) async throws -> Outcome {
        try await database.transaction(body)
    }

    var broadcast: Broadcast { database.broadcast }

    var writes: WriteHealth { database.writes }

    func close() async { await database.close() }
}
