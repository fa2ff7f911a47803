/// The interface of a database driver, which the repositories use to read and write the database.
///
/// All drivers run the same statements, written in SQL that both SQLite and PostgreSQL accept, with
/// parameters `$1`, `$2`, … in the order of their first use.
package protocol Database: Sendable {
    /// Runs a single read-only statement outside of any transaction.
    ///
    /// A driver may run the statement on the caller's thread if it takes only microseconds.
    ///
    /// - Parameters:
    ///   - sql: The statement.
    ///   - values: The values of the parameters, in order.
    /// - Returns: The rows, in the order of the result.
    /// - Throws: ``DatabaseError``.
    func rows(_ sql: SQL, _ values: [SQLValue]) async throws(DatabaseError) -> [Row]

    /// Runs a transaction and returns once it is durable.
    ///
    /// The body runs on one of the driver's threads. It may run again after a serialization failure, so it
    /// must have no effects besides those on its transaction; see ``Transaction/afterCommit(_:)``.
    ///
    /// - Parameter body: A closure that runs the statements of the transaction. An error that it throws rolls
    ///   back the transaction.
    /// - Returns: The result of the body.
    /// - Throws: ``DatabaseError``, or the error that the body throws.
    func transaction<Outcome: Sendable>(
        _ body: @escaping @Sendable (borrowing Transaction) throws -> Outcome
    ) async throws -> Outcome

    /// Whether other servers may use the database at the same time; `false` by default.
    var isShared: Bool { get }

    /// The broadcast of the changes that transactions publish; see ``Transaction/publish(_:)``.
    ///
    /// It also publishes the changes of other nodes that share the database.
    var broadcast: Broadcast { get }

    /// Waits for transactions in progress and releases the driver's resources.
    ///
    /// Later calls to the database fail with ``DatabaseError/closed``.
    func close() async
}

extension Database {
    /// `false`, which is correct for a database that only one server uses.
    package var isShared: Bool { false }

    /// Runs a single read-only statement outside of any transaction, with the values as variadic arguments.
    package func rows(_ sql: SQL, _ values: SQLValue...) async throws(DatabaseError) -> [Row] {
        try await rows(sql, values)
    }
}
