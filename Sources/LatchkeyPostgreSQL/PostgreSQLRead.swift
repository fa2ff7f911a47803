import LatchkeyServerCore

/// A statement that waits to be sent, or for its answer.
struct PostgreSQLRead: Sendable {
    let sql: StaticString
    let values: [SQLValue]
    let deadline: ContinuousClock.Instant

    /// How many connections have broken under it.
    var losses = 0

    private let continuation: CheckedContinuation<Result<[Row], DatabaseError>, Never>

    init(
        _ sql: StaticString,
        _ values: [SQLValue],
        by deadline: ContinuousClock.Instant,
        _ continuation: CheckedContinuation<Result<[Row], DatabaseError>, Never>
    ) {
        self.sql = sql
        self.values = values
        self.deadline = deadline
        self.continuation = continuation
    }

    func finish(_ result: Result<[Row], DatabaseError>) {
        continuation.resume(returning: result)
    }
}
