import LatchkeyServerKit

/// A read that hasn't been answered yet.
struct PostgreSQLRead: Sendable {
    /// The SQL statement.
    ///
    /// Only read-only statements are allowed, because a statement is sent again if a connection breaks.
    let sql: SQL
    let values: [SQLValue]
    /// The deadline for the result, which includes the time spent in the queue and on retries.
    let deadline: ContinuousClock.Instant

    /// How many times the connection was lost while this read was pending.
    var losses = 0

    private let continuation: CheckedContinuation<Result<[Row], DatabaseError>, Never>

    /// Creates a read whose continuation is resumed by ``finish(_:)``.
    init(
        _ sql: SQL,
        _ values: [SQLValue],
        by deadline: ContinuousClock.Instant,
        continuation: CheckedContinuation<Result<[Row], DatabaseError>, Never>
    ) {
        self.sql = sql
        self.values = values
        self.deadline = deadline
        self.continuation = continuation
    }

    /// Resumes the caller with a result.
    ///
    /// Call this method exactly once.
    func finish(_ result: Result<[Row], DatabaseError>) {
        continuation.resume(returning: result)
    }
}
