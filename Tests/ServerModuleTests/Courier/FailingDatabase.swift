import LatchkeyModel
import LatchkeyServerKit

/// A database that can be told to fail.
final class FailingDatabase: Database {
    private struct Plan {
        var reads = 0
        var transactions: [Bool] = []
    }

    private let database: any Database
    private let plan = Locked(Plan())
    private let reads = Locked(0)

    /// The number of reads that have started and not ended yet.
    var readsInProgress: Int { reads.withLock { $0 } }

    init(_ database: any Database) {
        self.database = database
    }

    /// Makes the next reads and transactions fail.
    ///
    /// The argument `reads` is the number of reads that fail. The elements of `transactions` state whether
    /// each of the next transactions fails.
    func fail(reads: Int, transactions: [Bool]) {
        plan.withLock { $0 = Plan(reads: reads, transactions: transactions) }
    }

    func rows(_ sql: SQL, _ values: [SQLValue]) async throws(DatabaseError) -> [Row] {
        reads.withLock { $0 += 1 }
        defer { reads.withLock { $0 -= 1 } }
        let fails = plan.withLock { plan in
            plan.reads -= 1
            return plan.reads >= 0
        }
        if fails { throw DatabaseError(.unavailable, message: "The test made this call fail.") }
        return try await database.rows(sql, values)
    }

    func transaction<Outcome: Sendable>(
        _ body: @escaping @Sendable (borrowing Transaction) throws -> Outcome
    ) async throws -> Outcome {
        let fails = plan.withLock { plan in
            plan.transactions.isEmpty ? false : plan.transactions.removeFirst()
        }
        if fails { throw DatabaseError(.unavailable, message: "The test made this call fail.") }
        return try await database.transaction(body)
    }

    var broadcast: Broadcast { database.broadcast }

    var writes: WriteHealth { database.writes }

    func close() async {
        await database.close()
    }
}
