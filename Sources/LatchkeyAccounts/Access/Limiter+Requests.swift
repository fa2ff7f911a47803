package import LatchkeyModel
package import LatchkeyServerKit

extension Limiter {
    /// Counts events, or rejects the request if one of their limits has been reached.
    ///
    /// If the transaction is rolled back, the events aren't counted.
    ///
    /// - Throws: A ``ServerError`` with status 429, or ``DatabaseError``.
    package func require(
        _ events: [LimitedEvent],
        at now: Timestamp,
        in transaction: borrowing Transaction
    ) throws {
        if case .refused(let retryAfter) = try reserve(events, at: now, in: transaction) {
            throw ServerError.tooManyRequests(retryAfter: retryAfter)
        }
    }

    /// Counts events in a transaction of their own, so that they stay counted if the request fails later.
    ///
    /// - Throws: A ``ServerError`` with status 429, or ``DatabaseError``.
    package func require(
        _ events: [LimitedEvent],
        at now: Timestamp,
        in database: any Database
    ) async throws {
        try await database.transaction { try require(events, at: now, in: $0) }
    }
}
