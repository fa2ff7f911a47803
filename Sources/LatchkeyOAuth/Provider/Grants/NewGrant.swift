package import LatchkeyAccounts
package import LatchkeyModel

/// A grant that hasn't been stored yet, with its code.
package struct NewGrant: Sendable {
    package let id: Identifier
    package let identity: Identifier
    /// The user's login, whose session is the id of the grant if no session authorizes the client.
    package let login: Grant.Login
    /// The address that the redemption of the code proves from inside the account, or `nil` if a session
    /// authorizes the client.
    package let provenAddress: ContactAddress?
    /// The id of the client.
    package let client: String
    package let scopes: [String]
    /// Whether the grant outlives the session, because the client gets refresh tokens.
    package let isOffline: Bool
    /// The redirect URI of the authorization request, including its port.
    package let redirectURI: String
    package let nonce: String?
    /// The code challenge, or `nil` if the client needs none.
    package let challenge: CodeChallenge?
    /// The JWK thumbprint of the key that must redeem the code (`dpop_jkt`), or `nil` if there is none.
    package let keyThumbprint: String?
    package let code: AuthorizationCode
    package let codeExpiresAt: Timestamp

    /// Creates a grant for an authorization request that a session approves.
    package init(
        _ request: AuthorizationRequest,
        of client: OAuthClient,
        scopes: [String],
        by session: Session,
        code: AuthorizationCode,
        expiringAt codeExpiresAt: Timestamp,
        random: any RandomSource
    ) {
        self.init(
            request,
            id: Identifier(random: random),
            of: client,
            scopes: scopes,
            by: session.identityID,
            login: Grant.Login(
                session: session.id,
                authentications: session.authentications,
                authenticatedAt: session.authenticatedAt
            ),
            code: code,
            expiringAt: codeExpiresAt
        )
    }

    /// Creates a grant for an authorization request whose mailed link was confirmed.
    ///
    /// There is no session. The user has authenticated with the code in the mail.
    package init(
        _ request: AuthorizationRequest,
        of client: OAuthClient,
        confirming address: ContactAddress,
        of identity: Identifier,
        at now: Timestamp,
        code: AuthorizationCode,
        expiringAt codeExpiresAt: Timestamp,
        random: any RandomSource
    ) {
        let id = Identifier(random: random)
        self.init(
            request,
            id: id,
            of: client,
            scopes: request.scopes,
            by: identity,
            login: Grant.Login(
                session: id,
                authentications: [Authentication(.code, at: now)],
                authenticatedAt: now
            ),
            confirming: address,
            code: code,
            expiringAt: codeExpiresAt
        )
    }

    private init(
        _ request: AuthorizationRequest,
        id: Identifier,
        of client: OAuthClient,
        scopes: [String],
        by identity: Identifier,
        login: Grant.Login,
        confirming provenAddress: ContactAddress? = nil,
        code: AuthorizationCode,
        expiringAt codeExpiresAt: Timestamp
    ) {
        self.id = id
        self.identity = identity
        self.login = login
        self.provenAddress = provenAddress
        self.client = client.id
        self.scopes = scopes
        isOffline =
            scopes.contains(ScopeName.offlineAccess) && client.metadata.grantTypes.contains(.refreshToken)
        redirectURI = request.redirectURI
        nonce = request.nonce
        challenge = request.challenge
        keyThumbprint = request.keyThumbprint
        self.code = code
        self.codeExpiresAt = codeExpiresAt
    }

    /// Creates a grant for a client that an app hands its session over to.
    ///
    /// Its code has no challenge, so only a client that authenticates itself can redeem it.
    init(
        handing session: Session,
        overTo client: OAuthClient,
        scopes: [String],
        redirectURI: String,
        code: AuthorizationCode,
        expiringAt codeExpiresAt: Timestamp,
        random: any RandomSource
    ) {
        id = Identifier(random: random)
        identity = session.identityID
        login = Grant.Login(
            session: session.id,
            authentications: session.authentications,
            authenticatedAt: session.authenticatedAt
        )
        provenAddress = nil
        self.client = client.id
        self.scopes = scopes
        isOffline =
            scopes.contains(ScopeName.offlineAccess) && client.metadata.grantTypes.contains(.refreshToken)
        self.redirectURI = redirectURI
        (nonce, challenge, keyThumbprint) = (nil, nil, nil)
        self.code = code
        self.codeExpiresAt = codeExpiresAt
    }
}
