/// The credentials that a route accepts.
///
/// Every ``Endpoint`` declares them. The router passes the declaration to the handler in the
/// ``RequestContext``, and the code that reads a credential applies it, so a route can't accept a credential
/// that it doesn't declare. The OpenAPI documents contain the declarations.
package enum RouteCredentials: Hashable, Sendable {
    /// The route doesn't read any credential.
    case none
    /// A session token or an access token in the header.
    case session(SessionCredentials = SessionCredentials())
    /// A token in the body of the request.
    case body(BodyCredentials)
    /// The access token of an OAuth client in the header.
    case clientToken
    /// The admin token.
    case adminToken
    /// The admin token, unless the setting `admin.metrics` is `open`.
    case adminTokenUnlessOpen
}

/// Whether a route is closed to accounts whose users have to take a step first.
package enum DutyRule: String, Hashable, Sendable {
    /// Requests are rejected while a duty of the account blocks.
    case enforced
    /// Requests are accepted nevertheless, because the user needs the route to take the step, to get their
    /// data, or to leave.
    case exempt
}

/// The tokens that a route accepts in the body of a request.
package struct BodyCredentials: Hashable, Sendable {
    /// A kind of token.
    package enum Token: String, Hashable, Sendable, CaseIterable {
        /// The token of a session, which may be provisional.
        case sessionToken = "session_token"
        /// A refresh token.
        case refreshToken = "refresh_token"
        /// The authorization code of an OAuth client.
        case code
        /// The access token of an OAuth client.
        case accessToken = "access_token"
    }

    /// Whether a request with the token of a session must contain a proof of possession of the device's key
    /// (RFC 9449).
    package let needsProof: Bool
    /// Whether a request is rejected while a duty of the token's account blocks.
    package fileprivate(set) var duties = DutyRule.enforced

    // Flags and not a set, because the declaration is copied with every request.
    private let acceptsSessionToken: Bool
    private let acceptsRefreshToken: Bool
    private let acceptsCode: Bool
    private let acceptsAccessToken: Bool

    /// The kinds of token that the route accepts.
    package var tokens: Set<Token> { Set(Token.allCases.filter(accepts)) }

    /// Creates a declaration.
    package init(_ tokens: Set<Token>, needsProof: Bool = false) {
        self.needsProof = needsProof
        acceptsSessionToken = tokens.contains(.sessionToken)
        acceptsRefreshToken = tokens.contains(.refreshToken)
        acceptsCode = tokens.contains(.code)
        acceptsAccessToken = tokens.contains(.accessToken)
    }

    /// Returns whether the route accepts a kind of token.
    func accepts(_ token: Token) -> Bool {
        switch token {
        case .sessionToken: acceptsSessionToken
        case .refreshToken: acceptsRefreshToken
        case .code: acceptsCode
        case .accessToken: acceptsAccessToken
        }
    }
}

/// The session and access tokens that a route accepts in the header of a request.
package struct SessionCredentials: Hashable, Sendable {
    /// Whether a request needs a credential.
    package enum Presence: String, Hashable, Sendable {
        /// Requests without an active session are rejected.
        case required
        /// The response depends on the session, if there is one. Requests with a credential that isn't valid
        /// are rejected.
        case optional
        /// Like ``optional``, but a credential that isn't valid is ignored.
        case considered
    }

    /// The access tokens that a route accepts in place of a session token.
    package enum AccessTokens: Hashable, Sendable {
        /// No access token is accepted.
        case none
        /// Any access token that was exchanged from a session, whatever its audience.
        case ofSession
        /// An access token whose audience is this server and that has the scope.
        ///
        /// If `isBound` is `true`, the token must also be bound to a key, and the request must contain a
        /// proof of possession (RFC 9449).
        case scope(AccessScope, isBound: Bool = false)
    }

    /// Whether the session must be privileged, which means that its last authentication is recent.
    package enum Privilege: String, Hashable, Sendable {
        /// Any session is accepted.
        case never
        /// Some requests are accepted only in a privileged session, which the handler decides.
        case sometimes
        /// Only a privileged session is accepted.
        case always
    }

    /// The place in a request that can contain the credential.
    package enum Carrier: String, Hashable, Sendable {
        /// A header field, which native apps set.
        case header
        /// The session cookie of a browser.
        case cookie
        /// Either of them.
        case either
    }

    /// Whether a request needs a credential.
    package let presence: Presence
    /// Whether a session without its device certificate is accepted.
    package let acceptsProvisional: Bool
    /// The access tokens that are accepted in place of a session token.
    package let accessTokens: AccessTokens
    /// Whether the session must be privileged.
    package let privilege: Privilege
    /// The place in a request that can contain the credential.
    ///
    /// Credentials elsewhere are ignored.
    package let carrier: Carrier
    /// Whether a request is rejected while a duty of the session's account blocks.
    ///
    /// A route that only considers a session is always exempt. If it lets the session act, its handler must
    /// check the duties.
    package fileprivate(set) var duties: DutyRule

    /// Creates a declaration.
    ///
    /// By default, a route requires the token of an active session that isn't provisional and whose account
    /// has no duty that blocks, and accepts no access token.
    package init(
        _ presence: Presence = .required,
        acceptsProvisional: Bool = false,
        accessTokens: AccessTokens = .none,
        privilege: Privilege = .never,
        carrier: Carrier = .header
    ) {
        self.presence = presence
        self.acceptsProvisional = acceptsProvisional
        self.accessTokens = accessTokens
        self.privilege = privilege
        self.carrier = carrier
        duties = presence == .considered ? .exempt : .enforced
    }
}

extension RouteCredentials {
    /// The token or the cookie of a session.
    package static let sessionOrCookie = session(SessionCredentials(carrier: .either))

    /// The cookie of a session.
    package static let sessionCookie = session(SessionCredentials(carrier: .cookie))

    /// The token or the cookie of a session whose last authentication is recent.
    package static let privilegedSessionOrCookie = session(
        SessionCredentials(privilege: .always, carrier: .either)
    )

    /// The token of a session, or an access token for this server with the given scope.
    package static func sessionOrScope(_ scope: AccessScope, bound isBound: Bool = false) -> RouteCredentials
    {
        session(SessionCredentials(accessTokens: .scope(scope, isBound: isBound)))
    }

    /// The same credentials, for a route that stays open while a duty blocks.
    ///
    /// Every route is closed unless its declaration says otherwise, so a new route can't be forgotten.
    package var exemptFromDuties: RouteCredentials {
        switch self {
        case .session(var session):
            session.duties = .exempt
            return .session(session)
        case .body(var body):
            body.duties = .exempt
            return .body(body)
        case .none, .clientToken, .adminToken, .adminTokenUnlessOpen: return self
        }
    }

    /// Whether requests are rejected while a duty of the credential's account blocks, or `nil` if the route
    /// accepts no credential of an account.
    package var duties: DutyRule? {
        switch self {
        case .session(let session): session.duties
        case .body(let body): body.tokens.isEmpty ? nil : body.duties
        case .clientToken: .enforced
        case .none, .adminToken, .adminTokenUnlessOpen: nil
        }
    }

    /// Whether a request without the admin token is rejected by default.
    var isAdministrative: Bool {
        switch self {
        case .adminToken, .adminTokenUnlessOpen: true
        case .none, .session, .body, .clientToken: false
        }
    }
}

/// A handler asked for a credential that its route doesn't declare.
///
/// This is a bug in the server, so the client receives a response with status 500.
package struct UndeclaredCredentialError: Error, Hashable {
    /// The credentials that the route declares.
    package let declared: RouteCredentials

    /// Creates an error.
    package init(_ declared: RouteCredentials) {
        self.declared = declared
    }
}

extension RequestContext {
    /// Makes sure that the route declares a kind of token in its body.
    ///
    /// - Throws: ``UndeclaredCredentialError`` if it doesn't.
    package func requireDeclared(_ token: BodyCredentials.Token) throws(UndeclaredCredentialError) {
        guard case .body(let body) = credentials, body.accepts(token) else {
            throw UndeclaredCredentialError(credentials)
        }
    }
}
