package import LatchkeyModel

/// The account that a login is tried on.
package enum LimitedAccount: Hashable, Sendable {
    /// An account, whichever of its identifiers was used.
    case identity(Identifier)

    /// An identifier in its normal form that belongs to no account.
    case unknown(identifier: String)

    /// The same for both kinds, so that a budget does not tell them apart.
    var subject: [UInt8] {
        switch self {
        case .identity(let id): Array("identity".utf8) + [0] + id.bytes
        case .unknown(let identifier): Array("identifier".utf8) + [0] + Array(identifier.utf8)
        }
    }
}
