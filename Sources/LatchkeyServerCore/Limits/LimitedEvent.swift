package import LatchkeyModel

/// Something that may happen only so often to one subject.
package enum LimitedEvent: Hashable, Sendable {
    /// A code is sent to a phone.
    case codeForPhone(PhoneNumber)

    /// A network address asks for a code.
    case codeForAddress(PeerAddress)

    /// A code of a phone is guessed at.
    case guessForPhone(PhoneNumber)

    /// A password is tried on the account of an identifier, in its normal form, whether or not there is such an account.
    case failureOfAccount(String)

    /// A network address tries a password.
    case failureFromAddress(PeerAddress)

    /// What the events that count together have in common; no two kinds have a text in common.
    var subject: [UInt8] {
        switch self {
        case .codeForPhone(let phone): Array("code for phone".utf8) + [0] + Array(phone.e164.utf8)
        case .codeForAddress(let peer): Array("code for address".utf8) + [0] + peer.network
        case .guessForPhone(let phone): Array("guess for phone".utf8) + [0] + Array(phone.e164.utf8)
        case .failureOfAccount(let identifier):
            Array("failure of account".utf8) + [0] + Array(identifier.utf8)
        case .failureFromAddress(let peer): Array("failure from address".utf8) + [0] + peer.network
        }
    }
}
