/// A token type identifier of token exchange (RFC 8693, section 3).
package struct TokenType: RawRepresentable, Hashable, Sendable {
    package let rawValue: String

    package init(rawValue: String) {
        self.rawValue = rawValue
    }

    package static let accessToken = TokenType(rawValue: "urn:ietf:params:oauth:token-type:access_token")
}
