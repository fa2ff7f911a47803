package import LatchkeyModel

/// The account that a login attempt is counted for.
///
/// Unknown identifiers are counted in the same way as accounts, so a rejected attempt doesn't reveal whether
/// an account exists.
package enum LimitedAccount: Hashable, Sendable {
    /// An existing account, regardless of which of its identifiers was used.
    case identity(Identifier)

    /// A normalized identifier that no account has.
    case unknown(identifier: String)

    /// The bytes that identify the account when counting events.
    var subject: [UInt8] {
        switch self {
        case .identity(let id): Array("identity".utf8) + [0] + id.bytes
        case .unknown(let identifier): Array("identifier".utf8) + [0] + Array(identifier.utf8)
        }
    }
}
