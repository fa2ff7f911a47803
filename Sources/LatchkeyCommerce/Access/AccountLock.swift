import LatchkeyAccounts
import LatchkeyModel
import LatchkeyServerKit
import LatchkeyWire

/// Makes the changes that users request to their purchases and payment methods.
///
/// Each change is made in one transaction that first locks the account and then the session. The locks
/// prevent changes after the session has ended, and serialize changes to the same account.
struct AccountLock: Sendable {
    let authenticator: SessionAuthenticator
    let limiter: Limiter
    let database: any Database

    /// Returns the session that a request belongs to.
    ///
    /// - Throws: Any error thrown by ``SessionAuthenticator/session(of:refusal:)``, or ``DatabaseError``.
    func session(of context: RequestContext) async throws -> AuthenticatedSession {
        try await authenticator.requiredSession(of: context, refusal: .sessionInactive)
    }

    /// Returns the session that a request belongs to, or `nil` if the request has no credentials.
    ///
    /// - Throws: Any error thrown by ``session(of:)`` if the credentials are invalid.
    func optionalSession(of context: RequestContext) async throws -> AuthenticatedSession? {
        try await authenticator.session(of: context, refusal: .sessionInactive)
    }

    /// Makes a change on behalf of the session that a request belongs to.
    ///
    /// If `body` throws a ``ServerError``, the transaction is committed before the error is rethrown, so that
    /// the events are counted. For this reason, `body` must not write to the database before it throws a
    /// ``ServerError``.
    ///
    /// - Parameters:
    ///   - found: The session. The session must still be active.
    ///   - context: The request context.
    ///   - events: The events to count toward their rate limits before `body` is called.
    ///   - body: The closure that makes the change.
    /// - Returns: The value returned by `body`.
    /// - Throws: A ``ServerError`` with status 401 if the session has ended, or 429 if a limit has been
    ///   reached, any error thrown by `body`, or ``DatabaseError``.
    func change<Outcome: Sendable>(
        for found: AuthenticatedSession,
        in context: RequestContext,
        counting events: [LimitedEvent] = [],
        _ body: @escaping @Sendable (borrowing Transaction) throws -> Outcome
    ) async throws -> Outcome {
        let session = found.session
        let result: Result<Outcome, ServerError> = try await database.transaction { transaction in
            guard
                try IdentityRepository.confirm(session.identityID, in: transaction),
                try SessionRepository.hold(
                    session.id,
                    of: session.identityID,
                    at: context.now,
                    in: transaction
                )
            else {
                throw ServerError(401, id: .sessionInactive, reason: "The session has ended.")
            }
            try count(events, at: context.now, in: transaction)
            do {
                return .success(try body(transaction))
            } catch let error as ServerError {
                return .failure(error)
            }
        }
        return try result.get()
    }

    /// Counts rate-limited events.
    ///
    /// - Throws: A ``ServerError`` with status 429 if a limit has been reached, or ``DatabaseError``.
    func count(
        _ events: [LimitedEvent],
        at now: Timestamp,
        in transaction: borrowing Transaction
    ) throws {
        guard !events.isEmpty else { return }
        if case .refused(let retryAfter) = try limiter.reserve(events, at: now, in: transaction) {
            throw ServerError.tooManyRequests(retryAfter: retryAfter)
        }
    }
}
