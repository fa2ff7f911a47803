/// A database transaction in progress, which cannot outlive the closure that receives it.
package struct Transaction: ~Copyable {
    /// The SQL dialect of the driver, for the few statements that cannot be shared.
    package let dialect: SQLDialect

    private let run: (SQL, [SQLValue]) throws(DatabaseError) -> StatementOutcome
    private let actions: CommitActions
    private let broadcast: Broadcast?

    /// Creates a transaction.
    ///
    /// - Parameters:
    ///   - dialect: The SQL dialect of the driver.
    ///   - broadcast: The broadcast for publications in a database that other nodes do not share.
    ///   - run: Runs one statement with its values within the driver's transaction.
    package init(
        _ dialect: SQLDialect = .sqlite,
        broadcast: Broadcast? = nil,
        run: @escaping (SQL, [SQLValue]) throws(DatabaseError) -> StatementOutcome
    ) {
        self.init(dialect, broadcast: broadcast, actions: CommitActions(), run: run)
    }

    private init(
        _ dialect: SQLDialect,
        broadcast: Broadcast?,
        actions: CommitActions,
        run: @escaping (SQL, [SQLValue]) throws(DatabaseError) -> StatementOutcome
    ) {
        self.dialect = dialect
        self.broadcast = broadcast
        self.actions = actions
        self.run = run
    }

    /// Returns a copy that passes each statement to `observe` before running it.
    package borrowing func observed(
        by observe: @escaping (SQL) -> Void
    ) -> Transaction {
        let run = run
        return Transaction(dialect, broadcast: broadcast, actions: actions) {
            sql,
            values throws(DatabaseError) in
            observe(sql)
            return try run(sql, values)
        }
    }

    /// Registers an action to run once the transaction has committed, but not after a rollback.
    ///
    /// If the body of the transaction runs again, only the actions from its last run are performed. The
    /// actions run in the order of their registration, on the driver's thread and before the caller of the
    /// transaction continues, so they must not block.
    package borrowing func afterCommit(_ action: @escaping @Sendable () -> Void) {
        actions.list.append(action)
    }

    /// Publishes a topic to the subscribers on all nodes when the transaction commits, but not after a rollback.
    ///
    /// On PostgreSQL, the publication is a notification, which is part of the transaction and reaches all nodes
    /// (`NOTIFY`). On SQLite, it reaches the subscribers in this process.
    ///
    /// Call this method wherever a session ends or the data of an identity change. A topic without subscribers costs
    /// little.
    ///
    /// - Throws: ``DatabaseError``.
    package borrowing func publish(_ topic: BroadcastTopic) throws(DatabaseError) {
        switch dialect {
        case .postgreSQL:
            _ = try run(
                "SELECT 1 FROM pg_notify($1, $2)",
                [.text(Self.channel), .text(topic.description)]
            )
        case .sqlite:
            guard let broadcast else { return }
            afterCommit { broadcast.publish(topic) }
        }
    }

    /// The name of the channel for publications on PostgreSQL.
    package static let channel = "latchkey_changes"

    /// The registered actions, which the driver runs after the commit.
    borrowing func commitActions() -> [@Sendable () -> Void] {
        actions.list
    }

    /// Runs a statement and returns its rows.
    ///
    /// - Parameters:
    ///   - sql: The statement, with parameters `$1`, `$2`, ….
    ///   - values: The values of the parameters, in order.
    /// - Returns: The rows in the order of the result; empty for a statement without rows.
    /// - Throws: ``DatabaseError``.
    package borrowing func rows(_ sql: SQL, _ values: SQLValue...) throws(DatabaseError) -> [Row] {
        try run(sql, values).rows
    }

    /// Runs a statement with an array of values and returns its rows.
    package borrowing func rows(_ sql: SQL, values: [SQLValue]) throws(DatabaseError) -> [Row] {
        try run(sql, values).rows
    }

    /// Runs a statement that changes rows, with an array of values; see ``execute(_:_:)``.
    @discardableResult
    package borrowing func execute(_ sql: SQL, values: [SQLValue]) throws(DatabaseError) -> Int {
        try run(sql, values).changes
    }

    /// Runs a statement that changes rows.
    ///
    /// - Parameters:
    ///   - sql: The statement, with parameters `$1`, `$2`, ….
    ///   - values: The values of the parameters, in order.
    /// - Returns: The number of changed rows. Base decisions between concurrent transactions on this number,
    ///   never on an earlier read.
    /// - Throws: ``DatabaseError``, with the code `conflict` if a unique key is violated.
    @discardableResult
    package borrowing func execute(_ sql: SQL, _ values: SQLValue...) throws(DatabaseError) -> Int {
        try run(sql, values).changes
    }
}

/// The actions that a transaction has registered, shared by its copies.
private final class CommitActions {
    var list: [@Sendable () -> Void] = []
}

/// The SQL dialects of the supported databases.
package enum SQLDialect: Sendable {
    case sqlite
    case postgreSQL
}

/// The result of a statement: its rows and the number of rows that it changed.
package struct StatementOutcome: Sendable {
    /// The rows that the statement returned, for example with `RETURNING`.
    package var rows: [Row]
    /// The number of rows that the statement inserted, updated or deleted.
    package var changes: Int

    /// Creates the result of a statement that a driver has run.
    package init(rows: [Row], changes: Int) {
        self.rows = rows
        self.changes = changes
    }
}
