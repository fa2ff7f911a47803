package import LatchkeyModel

/// The tokens that authenticate a login.
package enum StoredCredential: Hashable, Sendable {
    /// A session token, which authenticates the device to the identity server, and the tokens that it was
    /// exchanged for; the pair is `nil` if the app's requests use the session token or there was no exchange
    /// yet.
    case sessionToken(Secret, pair: TokenPair? = nil)
    /// An authorization by the OAuth provider, which has no session token.
    case grant(OAuthGrant)
}

extension StoredCredential {
    /// The session token, or `nil` for a grant.
    package var sessionToken: Secret? {
        if case .sessionToken(let token, _) = self { token } else { nil }
    }

    /// The tokens of a grant, or those that the session token was exchanged for.
    package var pair: TokenPair? {
        switch self {
        case .sessionToken(_, let pair): pair
        case .grant(let grant): grant.pair
        }
    }

    /// Returns the same credential with refreshed tokens.
    package func renewed(with pair: TokenPair) -> StoredCredential {
        switch self {
        case .sessionToken(let token, _): return .sessionToken(token, pair: pair)
        case .grant(var grant):
            grant.pair = pair
            return .grant(grant)
        }
    }

    /// Returns whether the app's requests carry an access token, which is refreshed when it expires.
    ///
    /// - Parameter credential: The credential that the app chose; a grant has only access tokens.
    /// - Returns: `true` for an access token, `false` for the session token.
    func isPair(_ credential: Credential) -> Bool {
        switch self {
        case .sessionToken: credential != .sessionToken
        case .grant: true
        }
    }
}

/// An authorization that an OAuth client received from the identity server.
package struct OAuthGrant: Hashable, Sendable {
    /// The access token and the refresh token.
    package var pair: TokenPair

    /// The id of the OAuth client that the tokens were issued to, which every refresh must name.
    package var client: String

    /// The scopes that the user granted.
    package var scopes: Set<String>

    /// The ID token of the login; `nil` if the scope `openid` was not granted.
    package var idToken: Secret?

    /// Creates a grant from the values of a token response.
    package init(pair: TokenPair, client: String, scopes: Set<String>, idToken: Secret? = nil) {
        (self.pair, self.client, self.scopes, self.idToken) = (pair, client, scopes, idToken)
    }
}
