import LatchkeyModel
import LatchkeyServerCore

/// A database whose outbox holds a message that others are about to take: it is due, and cannot be taken.
final class HeldOutbox: Database {
    private let database: any Database
    private let count = Locked(0)

    init(_ database: any Database) {
        self.database = database
    }

    /// How often somebody looked.
    var looks: Int { count.withLock { $0 } }

    func rows(_ sql: StaticString, _ values: [SQLValue]) async throws(DatabaseError) -> [Row] {
        guard "\(sql)".hasPrefix("SELECT due_at FROM messages") else {
            return try await database.rows(sql, values)
        }
        count.withLock { $0 += 1 }
        return [Row([.integer(0)])]
    }

    func transaction<Outcome: Sendable>(
        _ body: @escaping @Sendable (borrowing Transaction) throws -> Outcome
    ) async throws -> Outcome {
        try await database.transaction(body)
    }

    func close() async {
        await database.close()
    }
}
