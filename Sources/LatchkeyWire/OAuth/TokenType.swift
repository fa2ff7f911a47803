/// What kind of token one is, as token exchange names it (RFC 8693, section 3).
package struct TokenType: RawRepresentable, Hashable, Sendable {
    package let rawValue: String

    package init(rawValue: String) {
        self.rawValue = rawValue
    }

    package static let accessToken = TokenType(rawValue: "urn:ietf:params:oauth:token-type:access_token")
}
