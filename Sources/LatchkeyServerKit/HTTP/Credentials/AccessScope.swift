/// A scope of access tokens that opens some of this server's own routes.
///
/// These names are reserved: an access token has them only if it was exchanged from a session and its
/// audience is this server. They must never be granted to a client.
package enum AccessScope: String, Sendable, CaseIterable {
    /// The user's purchases and payment methods.
    case purchases
    /// The terms and other agreements that the user has accepted.
    case agreements
    /// The user's profile.
    case profile
    /// The events of the user's session.
    case events

    /// The value of the `scope` claim of tokens that have all scopes (RFC 8693, section 4.2).
    package static let all = allCases.map(\.rawValue).joined(separator: " ")

    /// Returns the scopes in the value of a `scope` claim.
    ///
    /// Scopes that don't open any of this server's routes are left out.
    package static func scopes(in claim: String) -> Set<AccessScope> {
        Set(claim.split(separator: " ").compactMap { AccessScope(rawValue: String($0)) })
    }
}
