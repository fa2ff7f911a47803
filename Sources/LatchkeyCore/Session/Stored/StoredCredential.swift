package import LatchkeyModel

/// The tokens that authenticate a login.
package enum StoredCredential: Hashable, Sendable {
    /// A session token, which authenticates the device to the identity server, and the tokens that it was
    /// exchanged for. The token pair is `nil` if the app's requests use the session token, or if the session
    /// token hasn't been exchanged yet.
    case sessionToken(Secret, pair: TokenPair? = nil)
    /// An authorization from an OpenID provider, without a session token.
    case grant(OAuthGrant)
}

extension StoredCredential {
    /// The session token, or `nil` if this is an OAuth grant.
    package var sessionToken: Secret? {
        if case .sessionToken(let token, _) = self { token } else { nil }
    }

    /// The tokens of an OAuth grant, or the tokens that the session token was exchanged for.
    package var pair: TokenPair? {
        switch self {
        case .sessionToken(_, let pair): pair
        case .grant(let grant): grant.pair
        }
    }

    /// Returns a copy of the credential with refreshed tokens.
    package func renewed(with pair: TokenPair) -> StoredCredential {
        switch self {
        case .sessionToken(let token, _): return .sessionToken(token, pair: pair)
        case .grant(var grant):
            grant.pair = pair
            return .grant(grant)
        }
    }

    /// Returns whether the app's requests use an access token, which has to be refreshed when it expires.
    ///
    /// - Parameter credential: The kind of credential that the app chose, which only matters if there is a
    ///   session token.
    /// - Returns: `true` for an access token, or `false` for the session token.
    func isPair(_ credential: Credential) -> Bool {
        switch self {
        case .sessionToken: credential != .sessionToken
        case .grant: true
        }
    }
}

/// An authorization that an OpenID provider issued to the app as its client.
package struct OAuthGrant: Hashable, Sendable {
    /// The access token and the refresh token.
    package var pair: TokenPair

    /// The provider, to which alone the tokens are sent.
    package var issuer: String

    /// The id of the OAuth client that the tokens were issued to.
    ///
    /// Every refresh request must include this id.
    package var client: String

    /// The scopes that the user granted.
    package var scopes: Set<String>

    /// The ID token from the login, or `nil` if the `openid` scope was not granted.
    package var idToken: Secret?

    /// Creates a grant from the values in a token response.
    package init(
        pair: TokenPair,
        issuer: String,
        client: String,
        scopes: Set<String>,
        idToken: Secret? = nil
    ) {
        (self.pair, self.issuer, self.client) = (pair, issuer, client)
        (self.scopes, self.idToken) = (scopes, idToken)
    }
}
