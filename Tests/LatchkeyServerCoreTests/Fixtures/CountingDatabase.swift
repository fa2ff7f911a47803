import LatchkeyModel
import LatchkeyServerCore

/// A database that counts what is asked of it.
final class CountingDatabase: Database {
    /// How often it was read from and written to.
    struct Counts: Hashable, Sendable {
        var reads = 0
        var transactions = 0
    }

    /// What was run since ``work(_:)`` began.
    private let statements = Locked<[String]>([])

    /// The statements that a closure has run, and where transactions began, in order.
    func work(_ body: () async throws -> Void) async rethrows -> [String] {
        statements.withLock { $0 = [] }
        try await body()
        return statements.withLock { $0 }
    }

    private let database: any Database
    private let state = Locked(Counts())

    init(_ database: any Database) {
        self.database = database
    }

    /// Counts what a closure asks for.
    func counts(_ body: () async throws -> Void) async rethrows -> Counts {
        state.withLock { $0 = Counts() }
        try await body()
        return state.withLock { $0 }
    }

    func rows(_ sql: StaticString, _ values: [SQLValue]) async throws(DatabaseError) -> [Row] {
        state.withLock { $0.reads += 1 }
        statements.withLock { $0.append("\(sql)") }
        return try await database.rows(sql, values)
    }

    func transaction<Outcome: Sendable>(
        _ body: @escaping @Sendable (borrowing Transaction) throws -> Outcome
    ) async throws -> Outcome {
        state.withLock { $0.transactions += 1 }
        return try await database.transaction { [statements] transaction in
            statements.withLock { $0.append("BEGIN") }
            return try body(transaction.observed { sql in statements.withLock { $0.append("\(sql)") } })
        }
    }

    var isShared: Bool { database.isShared }

    func close() async {
        await database.close()
    }
}
