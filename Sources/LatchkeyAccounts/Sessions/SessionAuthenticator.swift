package import LatchkeyModel
package import LatchkeyServerKit
package import LatchkeyWire

/// Authenticates requests by their session token or access token.
///
/// The session's row is read for every request, so a revocation takes effect immediately on all nodes.
package struct SessionAuthenticator: Sendable {
    private let sessions: SessionRepository
    private let accessTokenSession: @Sendable (RequestContext) async throws -> Identifier?

    /// Creates an authenticator.
    ///
    /// - Parameters:
    ///   - sessions: The session repository.
    ///   - accessTokenSession: Returns the id of the session that a request's access token was issued for, or
    ///     `nil` if the request doesn't contain a valid access token. Throws an error if the token requires a
    ///     proof of possession and the request doesn't contain a valid proof.
    package init(
        sessions: SessionRepository,
        accessTokenSession: @escaping @Sendable (RequestContext) async throws -> Identifier? = { _ in nil }
    ) {
        self.sessions = sessions
        self.accessTokenSession = accessTokenSession
    }

    /// Returns the active session for a request's session token.
    ///
    /// The session may be provisional.
    ///
    /// The request counts as a use of the session; see ``SessionRepository/noteUse(of:at:)``.
    ///
    /// - Returns: The session, or `nil` if the request has no token, if the token is unknown, revoked or
    ///   expired, or if the identity is inactive. A token that was replaced during re-authentication is
    ///   accepted until it expires. Access tokens are rejected because they grant access to APIs and not to
    ///   the account.
    /// - Throws: ``DatabaseError``.
    package func anySession(of context: RequestContext) async throws -> SessionRepository.Found? {
        guard
            let token = context.sessionToken,
            let found = try await sessions.find(SessionToken(presented: token)),
            found.isAlive(at: context.now)
        else { return nil }
        return try await sessions.noteUse(of: found, at: context.now)
    }

    /// Returns the active full session for a session token or an access token.
    ///
    /// The session's row is read in both cases, so an access token is rejected as soon as its session has
    /// ended.
    ///
    /// - Parameters:
    ///   - context: The request.
    ///   - id: The error id for responses with status 401, or `nil` for an error without an id, as in
    ///     Kratos's `whoami`.
    /// - Returns: The session with its identity.
    /// - Throws: ``ServerError`` with status 401 if there is no active session or the request lacks the proof
    ///   that its access token requires, or 403 if the session is provisional.
    package func sessionOfAnyToken(of context: RequestContext, refusal id: ErrorID? = nil) async throws
        -> SessionRepository.Found
    {
        guard let session = try await accessTokenSession(context) else {
            return try await self.session(of: context, refusal: id)
        }
        guard let found = try await sessions.find(session), found.isAlive(at: context.now) else {
            throw Self.refusal(id)
        }
        return try Self.whole(try await sessions.noteUse(of: found, at: context.now))
    }

    /// Returns the active full session for a request's session token.
    ///
    /// The result is `nil` if there is no active session or if the session is provisional.
    package func fullSession(of context: RequestContext) async throws -> SessionRepository.Found? {
        guard let found = try await anySession(of: context), !found.session.needsCertificate else {
            return nil
        }
        return found
    }

    /// Returns the active full session for a request's session token.
    ///
    /// - Parameters:
    ///   - context: The request.
    ///   - id: The error id for responses with status 401, or `nil` for an error without an id, as in
    ///     Kratos's `whoami`.
    /// - Returns: The session with its identity.
    /// - Throws: ``ServerError`` with status 401 if there is no active session, or 403 if the session is
    ///   provisional.
    package func session(of context: RequestContext, refusal id: ErrorID? = nil) async throws
        -> SessionRepository.Found
    {
        try Self.whole(try await anySession(of: context, refusal: id))
    }

    /// Returns the given session, which must not be provisional.
    ///
    /// - Throws: ``ServerError`` with status 403 if the session is provisional.
    private static func whole(_ found: SessionRepository.Found) throws(ServerError) -> SessionRepository.Found
    {
        guard !found.session.needsCertificate else {
            throw ServerError(
                403,
                id: .deviceCertificateRequired,
                reason: "The session requires a device certificate before it can be used."
            )
        }
        return found
    }

    /// Returns the active session for a request's session token.
    ///
    /// The session may be provisional.
    ///
    /// - Throws: ``ServerError`` with status 401 and the given id if there is no active session.
    package func anySession(of context: RequestContext, refusal id: ErrorID?) async throws
        -> SessionRepository.Found
    {
        guard let found = try await anySession(of: context) else {
            throw Self.refusal(id)
        }
        return found
    }

    /// Returns the error for a request without an active session.
    ///
    /// The error is always the same, so that it doesn't reveal the reason.
    private static func refusal(_ id: ErrorID?) -> ServerError {
        ServerError(401, id: id, reason: "No valid session credentials were found in the request.")
    }
}
