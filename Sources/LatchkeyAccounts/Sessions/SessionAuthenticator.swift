import LatchkeyModel
package import LatchkeyServerKit
package import LatchkeyWire

/// Authenticates requests by their session token, session cookie or access token.
///
/// The route's declaration (``RequestContext/credentials``) decides which tokens are accepted. If a route
/// doesn't declare a session, both methods throw ``UndeclaredCredentialError``.
///
/// The session's row is read for every request, so a revocation takes effect immediately on all nodes.
package struct SessionAuthenticator: Sendable {
    private let sessions: SessionRepository
    private let privilegedAge: Duration
    private let cookie: String
    private let origins: TrustedOrigins
    private let duties: Duties
    private let accessTokens: (any AccessTokenReader)?

    /// Creates an authenticator.
    ///
    /// - Parameters:
    ///   - sessions: The session repository.
    ///   - privilegedAge: How long a session is privileged after an authentication.
    ///   - cookie: The name of the session cookie.
    ///   - origins: The origins whose pages may use the cookie to change something.
    ///   - duties: Determines whether a duty of a session's account blocks.
    ///   - accessTokens: Reads access tokens, or `nil` if there are none.
    package init(
        sessions: SessionRepository,
        privilegedAge: Duration,
        cookie: String,
        origins: TrustedOrigins,
        duties: Duties,
        accessTokens: (any AccessTokenReader)? = nil
    ) {
        self.sessions = sessions
        self.privilegedAge = privilegedAge
        self.cookie = cookie
        self.origins = origins
        self.duties = duties
        self.accessTokens = accessTokens
    }

    /// Returns the active session of a request to a route that requires one.
    ///
    /// - Parameters:
    ///   - context: The request.
    ///   - id: The error id for responses with status 401, or `nil` for an error without an id, as in
    ///     Kratos's `whoami`.
    /// - Returns: The session with its identity.
    /// - Throws: ``ServerError``. The status is 401 if there is no active session, or if the access token is
    ///   meant for another audience or lacks its proof. The status is 403 if the session is provisional or
    ///   not privileged or a duty of its account blocks, and the route doesn't accept this, or if the access
    ///   token lacks the route's scope.
    package func requiredSession(
        of context: RequestContext,
        refusal id: ErrorID? = .sessionInactive
    ) async throws -> AuthenticatedSession {
        guard try rule(of: context).presence == .required else {
            throw UndeclaredCredentialError(context.credentials)
        }
        guard let found = try await session(of: context, refusal: id) else { throw Self.refusal(id) }
        return found
    }

    /// Returns the active session of a request, according to the declaration of its route.
    ///
    /// - Returns: The session. The result is `nil` if the request has no credential and the route doesn't
    ///   require one, or if the route only considers a session and the request has none that it accepts.
    /// - Throws: ``ServerError`` as in ``requiredSession(of:refusal:)``, unless the route only considers a
    ///   session.
    package func session(
        of context: RequestContext,
        refusal id: ErrorID? = .sessionInactive
    ) async throws -> AuthenticatedSession? {
        let rule = try rule(of: context)
        let presented = RequestCredentials(context.request, in: rule.carrier, cookie: cookie)
        if case .cookie = presented, Self.mayChange(context.request.method),
            !origins.accept(context.request)
        {
            throw Self.foreignPage
        }
        switch rule.presence {
        case .optional
        where RequestCredentials.areMissing(in: context.request, for: rule.carrier, cookie: cookie):
            return nil
        case .required, .optional:
            guard let found = try await found(in: context, presenting: presented, by: rule, refusal: id)
            else {
                throw Self.refusal(id)
            }
            return found
        case .considered:
            guard let found = try await tokenSession(of: presented, at: context.now) else { return nil }
            return rule.acceptsProvisional || !found.session.needsCertificate ? found : nil
        }
    }

    /// Returns whether requests with a method may change something (RFC 9110, section 9.2.1).
    private static func mayChange(_ method: HTTP.Method) -> Bool {
        method != .get && method != .head
    }

    /// Returns the declaration of a route.
    private func rule(of context: RequestContext) throws(UndeclaredCredentialError) -> SessionCredentials {
        guard case .session(let rule) = context.credentials else {
            throw UndeclaredCredentialError(context.credentials)
        }
        return rule
    }

    /// Applies a declaration to a request.
    ///
    /// - Returns: The session, or `nil` if the request has no valid credential.
    private func found(
        in context: RequestContext,
        presenting presented: RequestCredentials,
        by rule: SessionCredentials,
        refusal id: ErrorID?
    ) async throws -> AuthenticatedSession? {
        var found: AuthenticatedSession
        if rule.accessTokens != .none, let token = try await accessToken(of: context, unless: presented) {
            try Self.check(token, by: rule.accessTokens, refusal: id)
            guard let session = try await sessions.find(token.session), session.isAlive(at: context.now)
            else {
                return nil
            }
            found = try await sessions.noteUse(of: session, at: context.now)
            found.provenKey = token.keyThumbprint
            found.accessTokenExpiry = token.expiresAt
        } else {
            guard let session = try await tokenSession(of: presented, at: context.now) else { return nil }
            found = session
            // A session token doesn't need a proof, but a proof shows that the device's key was used.
            if case .scope(_, isBound: true) = rule.accessTokens, let accessTokens,
                case .token(let token) = presented,
                context.request.headers[DPoPProof.header] != nil
            {
                found.provenKey = try await accessTokens.provenKey(in: context, for: token)
            }
        }
        guard rule.acceptsProvisional || !found.session.needsCertificate else { throw Self.provisional }
        guard rule.privilege != .always || isPrivileged(found, at: context.now) else {
            throw ServerError.sessionRefreshRequired
        }
        if rule.duties == .enforced { try await duties.requireNoneBlocking(for: found, in: context) }
        return found
    }

    /// Returns the access token of a request, unless a cookie counts instead.
    private func accessToken(
        of context: RequestContext,
        unless presented: RequestCredentials
    ) async throws -> PresentedAccessToken? {
        if case .cookie = presented { return nil }
        return try await accessTokens?.token(of: context)
    }

    /// Checks an access token against the ones that a route accepts.
    private static func check(
        _ token: PresentedAccessToken,
        by accepted: SessionCredentials.AccessTokens,
        refusal id: ErrorID?
    ) throws(ServerError) {
        switch accepted {
        case .none: throw refusal(id)
        case .ofSession: return
        case .scope(let scope, let isBound):
            // A token for another audience isn't meant for this server (RFC 9068, section 4), so an API that
            // receives it, or an attacker who reads the API's log, can't use it here.
            guard token.isForThisServer else { throw refusal(id) }
            guard token.scopes.contains(scope) else { throw insufficientScope(scope) }
            guard token.keyThumbprint != nil || !isBound else { throw proofRequired }
        }
    }

    /// Returns the active session for the session token of a request.
    ///
    /// The session may be provisional. A token that was replaced during re-authentication is accepted until
    /// it expires. The request counts as a use of the session; see ``SessionRepository/noteUse(of:at:)``.
    private func tokenSession(
        of presented: RequestCredentials,
        at now: Timestamp
    ) async throws -> AuthenticatedSession? {
        let token: SessionToken
        switch presented {
        case .missing: return nil
        case .token(let secret): token = SessionToken(presented: secret)
        case .cookie(let secret): token = SessionToken(presented: secret, by: .browser)
        }
        guard var found = try await sessions.find(token), found.isAlive(at: now) else { return nil }
        if sessions.needsNote(of: found, at: now) { found = try await sessions.noteUse(of: found, at: now) }
        found.presentedToken = token
        return found
    }

    /// Returns whether a session's last authentication is recent and its token hasn't been replaced.
    private func isPrivileged(_ found: AuthenticatedSession, at now: Timestamp) -> Bool {
        !found.isTokenReplaced && found.session.isPrivileged(for: privilegedAge, at: now)
    }

    // MARK: Refusals

    private static let provisional = ServerError(
        403,
        id: .deviceCertificateRequired,
        reason: "The session requires a device certificate before it can be used."
    )

    /// The error for a request that another site's page has sent with the user's cookie.
    private static let foreignPage = ServerError(
        403,
        id: .csrfViolation,
        reason: "The request was sent by a page of another site."
    )

    /// The error for a bearer token where a bound token is required.
    private static let proofRequired = ServerError(
        401,
        id: .invalidDPoPProof,
        reason:
            "This request requires an access token that is bound to the device's key, or the session token.",
        headers: .challenge(.dpop(.invalidToken))
    )

    /// The error for an access token that lacks a scope (RFC 6750, section 3.1).
    private static func insufficientScope(_ scope: AccessScope) -> ServerError {
        ServerError(
            403,
            id: .insufficientScope,
            reason: "The access token does not have the scope \(scope.rawValue).",
            headers: .challenge(.bearer(.insufficientScope, scope: scope))
        )
    }

    /// Returns the error for a request without an active session.
    ///
    /// The error is always the same, so that it doesn't reveal the reason.
    private static func refusal(_ id: ErrorID?) -> ServerError {
        ServerError(401, id: id, reason: "No valid session credentials were found in the request.")
    }
}
