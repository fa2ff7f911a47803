/// A transaction under way; it lives only as long as the closure that got it.
package struct Transaction: ~Copyable {
    /// Whose SQL is spoken, for the few statements that cannot be shared.
    package let dialect: SQLDialect

    private let run: (StaticString, [SQLValue]) throws(DatabaseError) -> StatementOutcome

    /// Creates a transaction over a driver's way to run a statement.
    package init(
        _ dialect: SQLDialect = .sqlite,
        run: @escaping (StaticString, [SQLValue]) throws(DatabaseError) -> StatementOutcome
    ) {
        self.dialect = dialect
        self.run = run
    }

    /// The same transaction, with somebody who is told each statement before it runs.
    package borrowing func observed(
        by observe: @escaping (StaticString) -> Void
    ) -> Transaction {
        let run = run
        return Transaction(dialect) { sql, values throws(DatabaseError) in
            observe(sql)
            return try run(sql, values)
        }
    }

    /// Runs a statement that returns rows.
    package borrowing func rows(_ sql: StaticString, _ values: SQLValue...) throws(DatabaseError) -> [Row] {
        try run(sql, values).rows
    }

    /// Runs a statement with a list of values that returns rows.
    package borrowing func rows(_ sql: StaticString, values: [SQLValue]) throws(DatabaseError) -> [Row] {
        try run(sql, values).rows
    }

    /// Runs a statement that changes rows.
    ///
    /// - Returns: How many rows it changed; this number decides races, never a read before.
    @discardableResult
    package borrowing func execute(_ sql: StaticString, _ values: SQLValue...) throws(DatabaseError) -> Int {
        try run(sql, values).changes
    }
}

/// The databases that a driver may speak to.
package enum SQLDialect: Sendable {
    case sqlite
    case postgreSQL
}

/// What one statement did.
package struct StatementOutcome: Sendable {
    package var rows: [Row]
    package var changes: Int

    package init(rows: [Row], changes: Int) {
        self.rows = rows
        self.changes = changes
    }
}
