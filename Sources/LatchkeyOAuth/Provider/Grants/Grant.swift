package import LatchkeyAccounts
package import LatchkeyModel

/// The authorization of a client by a user (RFC 6749, section 1.3).
///
/// A grant has one code, and after its redemption one sequence of numbered refresh tokens. Only the highest
/// number that has been used is stored.
package struct Grant: Sendable {
    /// The user's login that authorized the client.
    package struct Login: Sendable {
        /// The session that authorized the client, which may have ended, or the id of the grant if a mailed link has
        /// led to it.
        package let session: Identifier
        /// How the user had authenticated in the session.
        package let authentications: [Authentication]
        /// When the user had authenticated.
        package let authenticatedAt: Timestamp
    }

    package let id: Identifier
    package let identity: Identifier
    /// The id of the client.
    package let client: String
    package let login: Login
    /// The granted scopes.
    package let scopes: [String]
    /// The `nonce` of the authorization request, which only the first ID token contains.
    package let nonce: String?
    /// The JWK thumbprint of the key that the grant's tokens are bound to (RFC 9449), in base64url.
    package let keyThumbprint: String?

    /// Whether a session has authorized the grant, and not a mailed link.
    private var isAuthorizedBySession: Bool { login.session != id }

    /// Returns whether the mailed link that has led to the grant was the first confirmation of its account, by a code in
    /// the app or the redemption.
    func hasConfirmed(_ identity: Identity) -> Bool {
        guard !isAuthorizedBySession, let confirmedAt = identity.confirmedAt else { return false }
        return confirmedAt >= login.authenticatedAt
    }

    /// Whether the grant outlives the session that authorized it.
    package var isOffline: Bool { scopes.contains(ScopeName.offlineAccess) }
}

/// The names of the scopes that have a meaning for this server.
package enum ScopeName {
    package static let openID = "openid"
    package static let offlineAccess = "offline_access"
}

extension [String] {
    /// The scopes in a text that is separated by spaces (RFC 6749, section 3.3), without duplicates.
    package init(scopes text: String) {
        self = text.utf8.split(separator: 0x20).reduce(into: []) { scopes, word in
            let scope = String(decoding: word, as: UTF8.self)
            if !scopes.contains(scope) { scopes.append(scope) }
        }
    }

    /// The scopes as one text.
    package var scopeText: String { joined(separator: " ") }
}
