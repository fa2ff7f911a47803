/// A database transaction in progress.
///
/// A transaction can't outlive the closure that receives it.
package struct Transaction: ~Copyable {
    /// The driver's SQL dialect, for the few statements that differ between databases.
    package let dialect: SQLDialect

    private let run: (SQL, [SQLValue]) throws(DatabaseError) -> StatementOutcome
    private let actions: CommitActions
    private let broadcast: Broadcast?

    /// Creates a transaction.
    ///
    /// - Parameters:
    ///   - dialect: The driver's SQL dialect.
    ///   - broadcast: The broadcast to publish to if no other nodes share the database.
    ///   - run: Runs one statement with its parameter values inside the driver's transaction.
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

    /// Returns a copy of the transaction that calls `observe` before running each statement.
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

    /// Registers an action to run after the transaction commits.
    ///
    /// If the transaction is rolled back, the action isn't performed.
    ///
    /// If the body runs more than once, only the actions from its last run are performed. Actions run in
    /// registration order on the driver's thread, before the transaction's caller resumes, so an action must
    /// not block.
    package borrowing func afterCommit(_ action: @escaping @Sendable () -> Void) {
        actions.list.append(action)
    }

    /// Publishes a topic to subscribers on all nodes when the transaction commits.
    ///
    /// If the transaction is rolled back, the topic isn't published.
    ///
    /// With PostgreSQL, the transaction sends a notification to all nodes (`NOTIFY`). With SQLite, only
    /// subscribers in this process are notified.
    ///
    /// Call this method whenever a session ends or an identity's data changes. Publishing a topic that has no
    /// subscribers is cheap.
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

    /// The name of the PostgreSQL notification channel.
    package static let channel = "latchkey_changes"

    /// The actions that the driver must run after the commit.
    borrowing func commitActions() -> [@Sendable () -> Void] {
        actions.list
    }

    /// Runs a statement and returns its rows.
    ///
    /// - Parameters:
    ///   - sql: The statement, with the parameters `$1`, `$2`, ….
    ///   - values: The parameter values, in order.
    /// - Returns: The rows, in the order that the database returned them. If the statement doesn't return
    ///   rows, the array is empty.
    /// - Throws: ``DatabaseError``.
    package borrowing func rows(_ sql: SQL, _ values: SQLValue...) throws(DatabaseError) -> [Row] {
        try run(sql, values).rows
    }

    /// Runs a statement with an array of parameter values and returns its rows.
    package borrowing func rows(_ sql: SQL, values: [SQLValue]) throws(DatabaseError) -> [Row] {
        try run(sql, values).rows
    }

    /// Runs a statement that changes rows, with an array of parameter values.
    ///
    /// See ``execute(_:_:)``.
    @discardableResult
    package borrowing func execute(_ sql: SQL, values: [SQLValue]) throws(DatabaseError) -> Int {
        try run(sql, values).changes
    }

    /// Runs a statement that changes rows.
    ///
    /// - Parameters:
    ///   - sql: The statement, with the parameters `$1`, `$2`, ….
    ///   - values: The parameter values, in order.
    /// - Returns: The number of changed rows. If concurrent transactions may change the same rows, use this
    ///   number to check whether the statement had an effect, because rows that were read earlier may be
    ///   outdated.
    /// - Throws: ``DatabaseError``. The code is `conflict` if the statement violates a unique key.
    @discardableResult
    package borrowing func execute(_ sql: SQL, _ values: SQLValue...) throws(DatabaseError) -> Int {
        try run(sql, values).changes
    }
}

/// The actions registered by a transaction.
///
/// All copies of a transaction share one instance of this class.
private final class CommitActions {
    var list: [@Sendable () -> Void] = []
}

/// The SQL dialect of a database.
package enum SQLDialect: Sendable {
    case sqlite
    case postgreSQL
}

/// The result of running a statement.
package struct StatementOutcome: Sendable {
    /// The rows that the statement returned, for example because of a `RETURNING` clause.
    package var rows: [Row]
    /// The number of rows that were inserted, updated or deleted.
    package var changes: Int

    /// Creates the result of a statement that the driver has run.
    package init(rows: [Row], changes: Int) {
        self.rows = rows
        self.changes = changes
    }
}
