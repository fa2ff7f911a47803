package import LatchkeyModel

/// Something that may happen only so often to one subject.
package enum LimitedEvent: Hashable, Sendable {
    /// A code is sent to a phone or a mailbox.
    case code(to: Traits.Address)

    /// A network address asks for a code.
    case codeForAddress(PeerAddress)

    /// A text message is sent to a phone, of those that draw on one share of the limit on all.
    case textMessage(share: Int)

    /// A code of a phone or a mailbox is guessed at.
    case guess(at: Traits.Address)

    /// A password is tried on the account of an identifier, in its normal form, whether or not there is such an account.
    case failureOfAccount(String)

    /// A password is tried on an account from a network of its owner's own.
    case failureAtHome(String, PeerAddress)

    /// A network address tries a password.
    case failureFromAddress(PeerAddress)

    /// A notice about an account is sent as a text message.
    case noticeText(Identifier)

    /// The notice of a new device is sent as a text message.
    case deviceNoticeText(Identifier)

    /// The owner of an account is notified of a refused login.
    case refusedEntryNotice(Identifier)

    /// A session has a certificate issued.
    case enrolment(Identifier)

    /// What the events that count together have in common; no two kinds have a text in common.
    var subject: [UInt8] {
        switch self {
        case .code(let address):
            Array("code for \(address.via.subject)".utf8) + [0] + Array(address.value.utf8)
        case .codeForAddress(let peer): Array("code for address".utf8) + [0] + peer.network
        case .textMessage(let share): Array("text message".utf8) + [0] + Array(String(share).utf8)
        case .guess(let address):
            Array("guess for \(address.via.subject)".utf8) + [0] + Array(address.value.utf8)
        case .failureOfAccount(let identifier):
            Array("failure of account".utf8) + [0] + Array(identifier.utf8)
        case .failureAtHome(let identifier, let peer):
            Array("failure at home".utf8) + [0] + Array(identifier.utf8) + [0] + peer.network
        case .failureFromAddress(let peer): Array("failure from address".utf8) + [0] + peer.network
        case .noticeText(let identity): Array("notice text".utf8) + [0] + identity.bytes
        case .deviceNoticeText(let identity): Array("device notice text".utf8) + [0] + identity.bytes
        case .refusedEntryNotice(let identity): Array("refused entry notice".utf8) + [0] + identity.bytes
        case .enrolment(let session): Array("enrolment".utf8) + [0] + session.bytes
        }
    }
}

extension TraitSchema.Channel {
    /// What limits call an address of this kind; other words would forget what was counted.
    fileprivate var subject: String {
        switch self {
        case .sms: "phone"
        case .email: "mailbox"
        }
    }
}
