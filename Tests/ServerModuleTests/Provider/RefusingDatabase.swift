import LatchkeyModel
import LatchkeyServerKit

/// A database that can refuse to commit transactions in which a statement has run.
final class RefusingDatabase: Database {
    private struct Plan {
        var fragments: [String] = []
        var refused: [[String]] = []
    }

    private let database: any Database
    private let plan = Locked(Plan())

    init(_ database: any Database) {
        self.database = database
    }

    /// Rolls back every transaction of a closure whose statements contain one of the texts.
    ///
    /// - Returns: The statements of each transaction that was rolled back.
    func refusing(_ fragments: [String], _ body: () async throws -> Void) async rethrows -> [[String]] {
        plan.withLock { $0 = Plan(fragments: fragments) }
        defer { plan.withLock { $0 = Plan() } }
        try await body()
        return plan.withLock { $0.refused }
    }

    func rows(_ sql: SQL, _ values: [SQLValue]) async throws(DatabaseError) -> [Row] {
        try await database.rows(sql, values)
    }

    func transaction<Outcome: Sendable>(
        _ body: @escaping @Sendable (borrowing Transaction) throws -> Outcome
    ) async throws -> Outcome {
        try await database.transaction { [plan] transaction in
            let statements = Locked<[String]>([])
            let outcome = try body(
                transaction.observed { sql in statements.withLock { $0.append("\(sql)") } }
            )
            let run = statements.withLock { $0 }
            let isRefused = plan.withLock { plan in
                let found = run.contains { text in plan.fragments.contains { text.contains($0) } }
                if found { plan.refused.append(run) }
                return found
            }
            if isRefused { throw DatabaseError(.failed, message: "The test refused this transaction.") }
            return outcome
        }
    }

    var isShared: Bool { database.isShared }

    var broadcast: Broadcast { database.broadcast }

    var writes: WriteHealth { database.writes }

    func close() async {
        await database.close()
    }
}
