package import LatchkeyModel

/// One of the refresh tokens of a session: they are counted, and each is made from its number.
package struct RefreshToken: Hashable, Sendable {
    /// The session that it belongs to; a session has one family of tokens.
    package let session: Identifier

    /// Its place in the family, from 1 on.
    package let number: Int64

    package init(session: Identifier, number: Int64) {
        self.session = session
        self.number = number
    }
}
