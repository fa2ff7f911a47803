package import LatchkeyModel

/// An event that may happen only so often for one subject.
package enum LimitedEvent: Hashable, Sendable {
    /// A code is sent to a phone or a mailbox.
    case code(to: Traits.Address)

    /// A code is sent to a phone or a mailbox beyond ``code(to:)``, because a known network of its owner asks for it.
    case codeInReserve(to: Traits.Address)

    /// A network asks for a code.
    case codeFromNetwork(Network)

    /// A text message is sent, of those that draw on one share of the limit on all.
    case textMessage(share: Int, isProven: Bool)

    /// A wrong code of a phone or a mailbox is entered.
    case guess(at: Traits.Address)

    /// A wrong code is entered beyond ``guess(at:)``, on a known network of the owner.
    case guessInReserve(at: Traits.Address)

    /// A wrong password of an account is entered, on any network.
    case failure(of: LimitedAccount)

    /// A wrong password of an account is entered on one network; a success resets it.
    case failureOnNetwork(LimitedAccount, Network)

    /// A wrong password of an account is entered on a known network; a success does not reset it.
    case failureOnKnownNetwork(LimitedAccount, Network)

    /// A network enters a wrong password.
    case failureFromNetwork(Network)

    /// A network fails at one more account.
    case accountFailedFromNetwork(Network)

    /// A network registers an account, or tries to.
    case registration(Network)

    /// The password, an identifier or an address of an account is changed, or an attempt is made.
    case accountChange(Identifier)

    /// A notice about an account is sent as a text message.
    case noticeText(Identifier)

    /// The notice of a new device is sent as a text message.
    case deviceNoticeText(Identifier)

    /// The owner of an account is notified of a refused login.
    case refusedEntryNotice(Identifier)

    /// A session has a certificate issued.
    case enrolment(Identifier)

    /// The bytes that events of one count have in common; no two kinds of events share a name.
    var subject: [UInt8] {
        Array(name.utf8) + [0] + parameters
    }

    private var name: String {
        switch self {
        case .code(let address): "code for \(address.via.subject)"
        case .codeInReserve(let address): "reserved code for \(address.via.subject)"
        case .codeFromNetwork: "code for address"
        case .textMessage(_, let isProven): isProven ? "text message" : "text message to new phone"
        case .guess(let address): "guess for \(address.via.subject)"
        case .guessInReserve(let address): "reserved guess for \(address.via.subject)"
        case .failure: "failure of account"
        case .failureOnNetwork: "failure of account on network"
        case .failureOnKnownNetwork: "failure of account on known network"
        case .failureFromNetwork: "failure from address"
        case .accountFailedFromNetwork: "account failed from network"
        case .registration: "registration"
        case .accountChange: "account change"
        case .noticeText: "notice text"
        case .deviceNoticeText: "device notice text"
        case .refusedEntryNotice: "refused entry notice"
        case .enrolment: "enrolment"
        }
    }

    private var parameters: [UInt8] {
        switch self {
        case .code(let address), .codeInReserve(let address), .guess(let address),
            .guessInReserve(let address):
            Array(address.value.utf8)
        case .codeFromNetwork(let network), .failureFromNetwork(let network),
            .accountFailedFromNetwork(let network), .registration(let network):
            network.prefix
        case .textMessage(let share, _): Array(String(share).utf8)
        case .failure(let account): account.subject
        case .failureOnNetwork(let account, let network), .failureOnKnownNetwork(let account, let network):
            [UInt8(truncatingIfNeeded: network.prefix.count)] + network.prefix + account.subject
        case .accountChange(let id), .noticeText(let id), .deviceNoticeText(let id),
            .refusedEntryNotice(let id), .enrolment(let id):
            id.bytes
        }
    }
}

extension TraitSchema.Channel {
    /// The name of an address of this channel in limits; another name would reset what was counted.
    fileprivate var subject: String {
        switch self {
        case .sms: "phone"
        case .email: "mailbox"
        }
    }
}
