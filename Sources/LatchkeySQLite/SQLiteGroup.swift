import LatchkeyServerKit

/// A group of transactions that share one commit.
struct SQLiteGroup {
    private let connection: SQLiteConnection
    private let broadcast: Broadcast
    private let health: WriteHealth

    /// Creates a group that uses the writer's connection, which must not be in a transaction.
    ///
    /// - Parameters:
    ///   - connection: The writer's connection.
    ///   - broadcast: The broadcast that publishes the changes made by committed transactions.
    ///   - health: Records whether the transactions could be written.
    init(_ connection: SQLiteConnection, broadcast: Broadcast, health: WriteHealth) {
        self.connection = connection
        self.broadcast = broadcast
        self.health = health
    }

    /// Runs the transactions, and commits those whose closures didn't throw an error.
    ///
    /// If the commit fails, all changes are rolled back and every caller receives the error. If a closure
    /// threw an error, its caller receives that error instead.
    ///
    /// - Parameter writes: The transactions, in the order in which to run them.
    ///
    /// - Returns: A closure that resumes all callers. All committed changes are durable before this method
    ///   returns.
    func commit(_ writes: [PendingTransaction]) -> () -> Void {
        var performed: [PendingTransaction.Performed] = []
        let before = connection.totalChanges
        do throws(DatabaseError) {
            try connection.execute("BEGIN IMMEDIATE")
            for write in writes {
                performed.append(try perform(write, alone: writes.count == 1))
            }
            let commits = performed.contains(where: \.keeps)
            try connection.execute(commits ? "COMMIT" : "ROLLBACK")
            if commits, connection.totalChanges != before { health.recordSuccess() }
            return { for member in performed { member.settle() } }
        } catch {
            health.record(error)
            if connection.isInTransaction { _ = try? connection.execute("ROLLBACK") }
            return {
                for (index, write) in writes.enumerated() {
                    // If a closure threw an error, its caller receives that error. The changes would have
                    // been rolled back anyway.
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
        DatabaseError(.unavailable, message: "The transaction was rolled back by the database.")
    }

    /// Runs a transaction.
    ///
    /// If the group contains other transactions too, a savepoint is used.
    private func perform(_ write: PendingTransaction, alone: Bool) throws(DatabaseError)
        -> PendingTransaction.Performed
    {
        if !alone { try connection.execute("SAVEPOINT member") }
        let performed = write.perform(Transaction(broadcast: broadcast, run: run))
        // If SQLite has rolled back, the next savepoint would start a new transaction, and releasing that
        // savepoint would commit it.
        guard connection.isInTransaction else { throw rolledBack }
        if !alone {
            if !performed.keeps { try connection.execute("ROLLBACK TO member") }
            try connection.execute("RELEASE member")
        }
        return performed
    }

    /// Runs a statement in a transaction.
    ///
    /// Throws an error if SQLite has rolled back the transaction on its own, for example because the disk is
    /// full.
    ///
    /// Without this check, each subsequent statement would be committed separately.
    private func run(_ sql: SQL, _ values: [SQLValue]) throws(DatabaseError) -> StatementOutcome {
        guard connection.isInTransaction else { throw rolledBack }
        do {
            return try connection.execute(sql, values)
        } catch {
            // The body may throw an error of its own instead of this one.
            health.record(error)
            throw error
        }
    }
}
