import LatchkeyAccounts
import LatchkeyModel
import LatchkeyServerKit
import LatchkeyWire

/// Runs the changes that users make to their purchases and payment methods.
///
/// Each change is one transaction that locks the account and then the session, so it has no effect after the session
/// has ended, and changes of one account happen one after the other.
struct AccountLock: Sendable {
    let authenticator: SessionAuthenticator
    let limiter: Limiter
    let database: any Database

    /// Returns the session of a request.
    ///
    /// - Throws: ``ServerError`` with status 401 if there is no active session, or 403 if it is provisional;
    ///   ``DatabaseError``.
    func session(of context: RequestContext) async throws -> SessionRepository.Found {
        try await authenticator.sessionOfAnyToken(of: context, refusal: .sessionInactive)
    }

    /// Returns the session of a request; `nil` if the request has no credentials.
    ///
    /// - Throws: The errors of ``session(of:)`` for credentials that are not valid.
    func optionalSession(of context: RequestContext) async throws -> SessionRepository.Found? {
        let headers = context.request.headers
        guard headers["X-Session-Token"] != nil || headers["Authorization"] != nil else { return nil }
        return try await session(of: context)
    }

    /// Runs a change for the session of a request.
    ///
    /// A ``ServerError`` of the body is thrown after the commit, so that its events are counted. The body must
    /// therefore not write before it throws one.
    ///
    /// - Parameters:
    ///   - found: The session, which must still be active.
    ///   - context: The request.
    ///   - events: The rate-limited events that are counted before the body runs.
    ///   - body: The change.
    /// - Returns: The result of the body.
    /// - Throws: ``ServerError`` with status 401 if the session has ended, or 429 if a limit is reached; the errors of
    ///   the body; ``DatabaseError``.
    func change<Outcome: Sendable>(
        for found: SessionRepository.Found,
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
    /// - Throws: ``ServerError`` with status 429 if a limit is reached; ``DatabaseError``.
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
