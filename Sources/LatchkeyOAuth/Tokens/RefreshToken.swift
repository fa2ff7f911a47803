package import LatchkeyModel

/// A refresh token of a session; tokens are numbered, and each token is derived from its number.
package struct RefreshToken: Hashable, Sendable {
    /// The id of the session, which has one family of refresh tokens.
    package let session: Identifier

    /// The position in the family, starting at 1.
    ///
    /// The number increases by one with each refresh.
    package let number: Int64

    /// Creates a token; the token family determines whether it may be used.
    package init(session: Identifier, number: Int64) {
        self.session = session
        self.number = number
    }
}
