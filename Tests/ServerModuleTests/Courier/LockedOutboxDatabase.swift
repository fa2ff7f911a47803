import LatchkeyModel
import LatchkeyServerKit

/// A database whose outbox contains a message that is due but locked by another node.
///
/// After a large number of polls, the database throws an error, which makes the worker wait before its next
/// poll.
final class LockedOutboxDatabase: Database {
    private static let patience = 100

    private let database: any Database
    private let count = Locked(0)

    init(_ database: any Database) {
        self.database = database
    }

    /// The number of polls so far.
    var polls: Int { count.withLock { $0 } }

    func rows(_ sql: SQL, _ values: [SQLValue]) async throws(DatabaseError) -> [Row] {
        guard "\(sql)".hasPrefix("SELECT due_at FROM messages") else {
            return try await database.rows(sql, values)
        }
        let polls = count.withLock { count in
            count += 1
            return count
        }
        guard polls <= Self.patience else { throw DatabaseError(.unavailable, message: "Enough.") }
        return [Row([.integer(0)])]
    }

    func transaction<Outcome: Sendable>(
        _ body: @escaping @Sendable (borrowing Transaction) throws -> Outcome
    ) async throws -> Outcome {
        try await database.transaction(body)
    }

    var broadcast: Broadcast { database.broadcast }

    var writes: WriteHealth { database.writes }

    func close() async {
        await database.close()
    }
}
