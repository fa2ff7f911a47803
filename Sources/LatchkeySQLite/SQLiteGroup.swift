import LatchkeyServerKit

/// A group of transactions that share one commit.
struct SQLiteGroup {
    private let connection: SQLiteConnection
    private let broadcast: Broadcast

    /// Creates a group on the writer's connection, which must not be in a transaction.
    ///
    /// - Parameters:
    ///   - connection: The writer's connection.
    ///   - broadcast: Receives the publications of committed transactions.
    init(_ connection: SQLiteConnection, broadcast: Broadcast) {
        self.connection = connection
        self.broadcast = broadcast
    }

    /// Runs the transactions and commits those that did not throw an error.
    ///
    /// If the commit fails, all changes are rolled back and the error is returned to all callers. A caller
    /// whose body threw an error receives that error instead.
    ///
    /// - Parameter writes: The transactions, in the order in which they run.
    ///
    /// - Returns: A closure that resumes all callers. All committed changes are durable before this method
    ///   returns.
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
                    // If a body threw an error, its caller gets that error, because the transaction is rolled
                    // back in any case.
                    if index < performed.count, !performed[index].keeps {
                        performed[index].settle()
                    } else {
                        write.refuse(error)
                    }
                }
            }
        }
    }

    /// The error for transactions that SQLite rolled back automatically.
    private var rolledBack: DatabaseError {
        DatabaseError(.unavailable, message: "The transaction was rolled back by the database.")
    }

    /// Runs one transaction, within a savepoint unless it is the only one in its group.
    private func perform(_ write: PendingTransaction, alone: Bool) throws(DatabaseError)
        -> PendingTransaction.Performed
    {
        if !alone { try connection.execute("SAVEPOINT member") }
        let performed = write.perform(Transaction(broadcast: broadcast, run: run))
        // If SQLite has rolled back, the next savepoint would begin a new transaction, and releasing that
        // savepoint would commit it.
        guard connection.isInTransaction else { throw rolledBack }
        if !alone {
            if !performed.keeps { try connection.execute("ROLLBACK TO member") }
            try connection.execute("RELEASE member")
        }
        return performed
    }

    /// Runs a statement in a transaction, or throws an error if SQLite has rolled back automatically, for
    /// example because the disk is full.
    ///
    /// Without this check, each further statement would be committed separately.
    private func run(_ sql: SQL, _ values: [SQLValue]) throws(DatabaseError) -> StatementOutcome {
        guard connection.isInTransaction else { throw rolledBack }
        return try connection.execute(sql, values)
    }
}
