/// A database transaction in progress; it cannot outlive the closure that receives it.
package struct Transaction: ~Copyable {
    /// The SQL dialect of the driver, for the few statements that cannot be shared.
    package let dialect: SQLDialect

    private let run: (StaticString, [SQLValue]) throws(DatabaseError) -> StatementOutcome

    /// Creates a transaction.
    ///
    /// - Parameters:
    ///   - dialect: The SQL dialect of the driver.
    ///   - run: Runs one statement with its values within the driver's transaction.
    package init(
        _ dialect: SQLDialect = .sqlite,
        run: @escaping (StaticString, [SQLValue]) throws(DatabaseError) -> StatementOutcome
    ) {
        self.dialect = dialect
        self.run = run
    }

    /// Returns a copy that passes each statement to `observe` before running it.
    package borrowing func observed(
        by observe: @escaping (StaticString) -> Void
    ) -> Transaction {
        let run = run
        return Transaction(dialect) { sql, values throws(DatabaseError) in
            observe(sql)
            return try run(sql, values)
        }
    }

    /// Runs a statement and returns its rows.
    ///
    /// - Parameters:
    ///   - sql: The statement, with parameters `$1`, `$2`, ….
    ///   - values: The values of the parameters, in their order.
    /// - Returns: The rows in the order of the result; empty for a statement without rows.
    /// - Throws: ``DatabaseError``.
    package borrowing func rows(_ sql: StaticString, _ values: SQLValue...) throws(DatabaseError) -> [Row] {
        try run(sql, values).rows
    }

    /// Runs a statement with an array of values and returns its rows.
    package borrowing func rows(_ sql: StaticString, values: [SQLValue]) throws(DatabaseError) -> [Row] {
        try run(sql, values).rows
    }

    /// Runs a statement that changes rows.
    ///
    /// - Parameters:
    ///   - sql: The statement, with parameters `$1`, `$2`, ….
    ///   - values: The values of the parameters, in their order.
    /// - Returns: The number of changed rows. Base decisions between concurrent transactions on this number,
    ///   never on an earlier read.
    /// - Throws: ``DatabaseError``, with the code `conflict` if a unique key is violated.
    @discardableResult
    package borrowing func execute(_ sql: StaticString, _ values: SQLValue...) throws(DatabaseError) -> Int {
        try run(sql, values).changes
    }
}

/// The SQL dialects of the supported databases.
package enum SQLDialect: Sendable {
    case sqlite
    case postgreSQL
}

/// The result of a statement: its rows and the number of rows that it changed.
package struct StatementOutcome: Sendable {
    /// The rows that the statement returned, for example by `RETURNING`.
    package var rows: [Row]
    /// The number of rows that the statement inserted, updated or deleted.
    package var changes: Int

    /// Creates the result of a driver.
    package init(rows: [Row], changes: Int) {
        self.rows = rows
        self.changes = changes
    }
}
