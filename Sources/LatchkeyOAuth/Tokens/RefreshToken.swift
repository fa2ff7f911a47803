package import LatchkeyModel

/// A refresh token.
///
/// The refresh tokens of a session are numbered, and each token is derived from its number.
package struct RefreshToken: Hashable, Sendable {
    /// The id of the session that the token belongs to.
    ///
    /// Each session has one family of refresh tokens.
    package let session: Identifier

    /// The position of the token in its family, starting at 1.
    ///
    /// Each refresh increases the number by one.
    package let number: Int64

    /// Creates a token.
    ///
    /// Whether the token can be used depends on its family.
    package init(session: Identifier, number: Int64) {
        self.session = session
        self.number = number
    }
}
