import LatchkeyModel
import LatchkeyServerKit

/// A database that counts its reads and transactions.
final class CountingDatabase: Database {
    /// The number of reads and transactions.
    struct Counts: Hashable, Sendable {
        var reads = 0
        var transactions = 0
    }

    /// The statements that have run since the last call to ``work(_:)``.
    private let statements = Locked<[String]>([])

    /// Returns, in order, the statements that a closure runs and the transactions that it begins.
    func work(_ body: () async throws -> Void) async rethrows -> [String] {
        statements.withLock { $0 = [] }
        try await body()
        return statements.withLock { $0 }
    }

    private let database: any Database
    private let state = Locked(Counts())
    private let reads = Locked(0)

    /// The number of reads that have started and not ended yet.
    var readsInProgress: Int { reads.withLock { $0 } }

    init(_ database: any Database) {
        self.database = database
    }

    /// Returns how many reads and transactions a closure performs.
    func counts(_ body: () async throws -> Void) async rethrows -> Counts {
        state.withLock { $0 = Counts() }
        try await body()
        return state.withLock { $0 }
    }

    func rows(_ sql: SQL, _ values: [SQLValue]) async throws(DatabaseError) -> [Row] {
        state.withLock { $0.reads += 1 }
        reads.withLock { $0 += 1 }
        defer { reads.withLock { $0 -= 1 } }
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

    var broadcast: Broadcast { database.broadcast }

    var writes: WriteHealth { database.writes }

    func close() async {
        await database.close()
    }
}
