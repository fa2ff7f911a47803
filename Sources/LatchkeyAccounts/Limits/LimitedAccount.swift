package import LatchkeyModel

/// The account for which a login attempt is counted.
///
/// Unknown identifiers are counted in the same way as accounts, so a rejected attempt does not reveal whether
/// an account exists.
package enum LimitedAccount: Hashable, Sendable {
    /// An existing account, regardless of the identifier that was used.
    case identity(Identifier)

    /// A normalized identifier that belongs to no account.
    case unknown(identifier: String)

    /// The bytes that identify the account in counts, in the same form for existing and unknown accounts.
    var subject: [UInt8] {
        switch self {
        case .identity(let id): Array("identity".utf8) + [0] + id.bytes
        case .unknown(let identifier): Array("identifier".utf8) + [0] + Array(identifier.utf8)
        }
    }
}
