/// The type of an access token, which is also the `Authorization` scheme that it is sent with.
package enum AccessTokenType: String, Sendable, CaseIterable {
    /// A token that can be used by any client that has it (RFC 6750).
    case bearer = "Bearer"
    /// A token that is bound to a key. Every request must include a proof of possession (RFC 9449).
    case dpop = "DPoP"

    /// Creates a token type from its name in a request or response.
    ///
    /// Names are case-insensitive.
    package init?(_ name: String) {
        guard let type = Self.allCases.first(where: { $0.rawValue.equalsIgnoringASCIICase(name) }) else {
            return nil
        }
        self = type
    }
}
