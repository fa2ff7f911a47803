package import LatchkeyModel
package import LatchkeyServerKit
package import LatchkeyWire

/// The authenticator of requests by session token or access token.
///
/// Every call reads the row of the session, so that a revocation takes effect at once on all nodes.
package struct SessionAuthenticator: Sendable {
    private let sessions: SessionRepository
    private let accessTokenSession: @Sendable (Secret, Timestamp) async throws -> Identifier?

    /// Creates an authenticator.
    ///
    /// - Parameters:
    ///   - sessions: The repository of sessions.
    ///   - accessTokenSession: Returns the id of the session for which a valid access token was issued; `nil` for
    ///     any other token.
    package init(
        sessions: SessionRepository,
        accessTokenSession: @escaping @Sendable (Secret, Timestamp) async throws -> Identifier? = { _, _ in
            nil
        }
    ) {
        self.sessions = sessions
        self.accessTokenSession = accessTokenSession
    }

    /// Returns the active session of the session token in a request, including a provisional one.
    ///
    /// The first use of a token that replaced another is recorded.
    ///
    /// - Returns: `nil` if the request has no token, or one that is unknown, revoked, expired or of an
    ///   inactive identity. A token that a re-authentication replaced is accepted until it expires. Access
    ///   tokens are not accepted: they grant access to APIs, not to the account.
    /// - Throws: ``DatabaseError``.
    package func anySession(of context: RequestContext) async throws -> SessionRepository.Found? {
        guard
            let token = context.sessionToken,
            let found = try await sessions.find(SessionToken(presented: token)),
            found.isAlive(at: context.now)
        else { return nil }
        if found.token == .unused { try await sessions.noteUse(of: found.session.id, at: context.now) }
        return found
    }

    /// Returns the active full session of a session token, or of an access token that was issued for it.
    ///
    /// The row of the session is read in both cases, so that an access token is rejected as soon as its
    /// session has ended.
    ///
    /// - Throws: ``ServerError`` with status 401 without an active session, 403 for a provisional one.
    package func sessionOfAnyToken(of context: RequestContext) async throws -> SessionRepository.Found {
        // Session tokens contain no dots, unless the operator's prefix does.
        guard
            let token = context.sessionToken, token.exposed.utf8.contains(UInt8(ascii: ".")),
            let session = try await accessTokenSession(token, context.now)
        else { return try await self.session(of: context) }
        guard let found = try await sessions.find(session), found.isAlive(at: context.now) else {
            throw Self.refusal(nil)
        }
        return try Self.whole(found)
    }

    /// Returns the active full session of the session token in a request; `nil` for a provisional session or
    /// none.
    package func fullSession(of context: RequestContext) async throws -> SessionRepository.Found? {
        guard let found = try await anySession(of: context), !found.session.needsCertificate else {
            return nil
        }
        return found
    }

    /// Returns the active full session of the session token in a request.
    ///
    /// - Parameters:
    ///   - context: The request.
    ///   - id: The id of the error with status 401; `nil` for none, as in Kratos's whoami.
    /// - Returns: The session with its identity.
    /// - Throws: ``ServerError`` with status 401 without an active session, 403 for a provisional one.
    package func session(of context: RequestContext, refusal id: ErrorID? = nil) async throws
        -> SessionRepository.Found
    {
        try Self.whole(try await anySession(of: context, refusal: id))
    }

    /// Returns a full session as it is.
    ///
    /// - Throws: ``ServerError`` with status 403 for a provisional session.
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

    /// Returns the active session of the session token in a request, for routes that are available to
    /// provisional sessions.
    ///
    /// - Throws: ``ServerError`` with status 401 and the given id if there is none.
    package func anySession(of context: RequestContext, refusal id: ErrorID?) async throws
        -> SessionRepository.Found
    {
        guard let found = try await anySession(of: context) else {
            throw Self.refusal(id)
        }
        return found
    }

    /// Returns the error for all requests without an active session, which does not reveal the reason.
    private static func refusal(_ id: ErrorID?) -> ServerError {
        ServerError(401, id: id, reason: "No valid session credentials were found in the request.")
    }
}
