/// A token type identifier for token exchange (RFC 8693, section 3).
package struct TokenType: RawRepresentable, Hashable, Sendable {
    /// The URI of the token type.
    package let rawValue: String

    package init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// An access token.
    ///
    /// In a token exchange, this type is also used for session tokens.
    package static let accessToken = TokenType(rawValue: "urn:ietf:params:oauth:token-type:access_token")
    /// A session token that a first-party client gets for its grant.
    ///
    /// This is an extension defined by Latchkey.
    package static let session = TokenType(rawValue: "urn:latchkey:params:oauth:token-type:session")
    /// A code that continues the session of an app in a browser.
    ///
    /// This is an extension defined by Latchkey.
    package static let webSessionCode = TokenType(
        rawValue: "urn:latchkey:params:oauth:token-type:web-session-code"
    )
    /// An authorization code that an app gets for the server of another client.
    ///
    /// This is an extension defined by Latchkey.
    package static let authorizationCode = TokenType(
        rawValue: "urn:latchkey:params:oauth:token-type:authorization-code"
    )
}
