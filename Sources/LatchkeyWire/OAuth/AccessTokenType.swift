/// The type of an access token, which is also the scheme of `Authorization` that carries it.
package enum AccessTokenType: String, Sendable, CaseIterable {
    /// A token that authenticates every client that has it (RFC 6750).
    case bearer = "Bearer"
    /// A token that is bound to a key: each request needs a proof of possession (RFC 9449).
    case dpop = "DPoP"

    /// Creates the type for the name in a response or request; names are compared ignoring case.
    package init?(_ name: String) {
        guard let type = Self.allCases.first(where: { $0.rawValue.equalsIgnoringASCIICase(name) }) else {
            return nil
        }
        self = type
    }
}
