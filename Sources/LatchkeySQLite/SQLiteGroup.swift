import LatchkeyServerCore

/// Transactions that share one commit.
struct SQLiteGroup {
    private let connection: SQLiteConnection

    init(_ connection: SQLiteConnection) {
        self.connection = connection
    }

    /// Runs the members and commits those that did not throw.
    ///
    /// - Returns: What gives every caller its answer; to be called after this, when all is durable.
    func commit(_ writes: [PendingTransaction]) -> () -> Void {
        var performed: [PendingTransaction.Performed] = []
        do throws(DatabaseError) {
            try connection.execute("BEGIN IMMEDIATE")
            for write in writes {
                performed.append(try perform(write, alone: writes.count == 1))
            }
            try connection.execute(performed.contains(where: \.keeps) ? "COMMIT" : "ROLLBACK")
            return { for member in performed { member.settle() } }
        } catch {
            if connection.isInTransaction { _ = try? connection.execute("ROLLBACK") }
            return {
                for (index, write) in writes.enumerated() {
                    // A body that threw keeps its own error, which is the truth in any case.
                    if index < performed.count, !performed[index].keeps {
                        performed[index].settle()
                    } else {
                        write.refuse(error)
                    }
                }
            }
        }
    }

    private var rolledBack: DatabaseError {
        DatabaseError(.unavailable, "The transaction was rolled back by the database.")
    }

    private func perform(_ write: PendingTransaction, alone: Bool) throws(DatabaseError)
        -> PendingTransaction.Performed
    {
        if !alone { try connection.execute("SAVEPOINT member") }
        let performed = write.perform(Transaction(run: run))
        // With the transaction gone, the next savepoint would begin one of its own and its release commit it.
        guard connection.isInTransaction else { throw rolledBack }
        if !alone {
            if !performed.keeps { try connection.execute("ROLLBACK TO member") }
            try connection.execute("RELEASE member")
        }
        return performed
    }

    /// After a full disk or the like SQLite has rolled back on its own; then nothing may be written,
    /// or it would be committed statement by statement.
    private func run(_ sql: StaticString, _ values: [SQLValue]) throws(DatabaseError) -> StatementOutcome {
        guard connection.isInTransaction else { throw rolledBack }
        return try connection.execute(sql, values)
    }
}
