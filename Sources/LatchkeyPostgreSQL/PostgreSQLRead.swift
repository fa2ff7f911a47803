import LatchkeyServerKit

/// A read that has not been sent or answered yet.
struct PostgreSQLRead: Sendable {
    /// The statement, which must be read-only because it is sent again if a connection breaks.
    let sql: SQL
    /// The values of the parameters, in order.
    let values: [SQLValue]
    /// The time by which the read must be answered, including time in the queue and repetitions.
    let deadline: ContinuousClock.Instant

    /// The number of connections that broke while this read was pending on them.
    var losses = 0

    private let continuation: CheckedContinuation<Result<[Row], DatabaseError>, Never>

    /// Creates a read, whose continuation is resumed by ``finish(_:)``.
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

    /// Resumes the caller of the read, which must happen exactly once.
    func finish(_ result: Result<[Row], DatabaseError>) {
        continuation.resume(returning: result)
    }
}
