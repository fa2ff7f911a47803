/// The seam between the repositories and a database driver.
///
/// Statements are shared by all drivers: SQL that SQLite and PostgreSQL both take, parameters written
/// `$1`, `$2`, … in the order of their first use.
package protocol Database: Sendable {
    /// Runs one statement that reads, outside any transaction of the caller's.
    ///
    /// A driver may run it inline on the caller's thread when it takes microseconds.
    func rows(_ sql: StaticString, _ values: [SQLValue]) async throws(DatabaseError) -> [Row]

    /// Runs a transaction and returns when it is durable.
    ///
    /// The body runs on a thread of the driver's, may run again after a serialization failure,
    /// and must have no other effect than on its transaction. When it throws, nothing of it remains.
    func transaction<Outcome: Sendable>(
        _ body: @escaping @Sendable (borrowing Transaction) throws -> Outcome
    ) async throws -> Outcome

    /// Whether other servers may use the database at the same time.
    var isShared: Bool { get }

    /// Waits for transactions under way and releases what the driver holds.
    func close() async
}

extension Database {
    package var isShared: Bool { false }

    /// Runs one statement that reads.
    package func rows(_ sql: StaticString, _ values: SQLValue...) async throws(DatabaseError) -> [Row] {
        try await rows(sql, values)
    }
}
