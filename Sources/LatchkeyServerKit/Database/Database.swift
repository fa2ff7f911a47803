/// The database interface that repositories use.
///
/// Each database driver implements this protocol.
///
/// All drivers run the same statements. The statements are written in SQL that both SQLite and PostgreSQL
/// accept, with the parameters `$1`, `$2`, … numbered in the order of their first use.
package protocol Database: Sendable {
    /// Runs a single read-only statement outside a transaction.
    ///
    /// If the statement takes only microseconds, the driver may run it on the caller's thread.
    ///
    /// - Parameters:
    ///   - sql: The statement.
    ///   - values: The parameter values, in order.
    /// - Returns: The rows, in the order that the database returned them.
    /// - Throws: ``DatabaseError``.
    func rows(_ sql: SQL, _ values: [SQLValue]) async throws(DatabaseError) -> [Row]

    /// Runs a transaction, and returns after it has been committed durably.
    ///
    /// The body runs on one of the driver's threads. The body may run again after a serialization failure, so
    /// it must not have side effects outside the transaction. See ``Transaction/afterCommit(_:)``.
    ///
    /// - Parameter body: A closure that runs the transaction's statements. If the body throws an error, the
    ///   transaction is rolled back.
    /// - Returns: The value that the body returned.
    /// - Throws: ``DatabaseError``, or any error that the body throws.
    func transaction<Outcome: Sendable>(
        _ body: @escaping @Sendable (borrowing Transaction) throws -> Outcome
    ) async throws -> Outcome

    /// Whether other servers may use the database at the same time. The default is `false`.
    var isShared: Bool { get }

    /// The broadcast that notifies subscribers about committed changes. See ``Transaction/publish(_:)``.
    ///
    /// If other nodes share the database, this broadcast also publishes changes made by those nodes.
    var broadcast: Broadcast { get }

    /// The outcome of the most recent write.
    var writes: WriteHealth { get }

    /// Waits for running transactions to finish, then releases the driver's resources.
    ///
    /// Later calls to the database fail with ``DatabaseError/closed``.
    func close() async
}

extension Database {
    /// Returns `false`.
    ///
    /// Drivers for databases that several servers can share must override this property.
    package var isShared: Bool { false }

    /// Runs a single read-only statement outside a transaction, with the parameter values as variadic
    /// arguments.
    package func rows(_ sql: SQL, _ values: SQLValue...) async throws(DatabaseError) -> [Row] {
        try await rows(sql, values)
    }
}
