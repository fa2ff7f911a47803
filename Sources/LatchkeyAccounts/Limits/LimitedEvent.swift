import LatchkeyCourier
package import LatchkeyModel

/// A rate-limited event, together with the subject that it is counted for.
package enum LimitedEvent: Hashable, Sendable {
    /// A code is sent to a phone number or mailbox.
    case code(to: ContactAddress)

    /// A code is sent even though the limit of ``code(to:)`` has been reached, because it was requested from
    /// a known network.
    case codeInReserve(to: ContactAddress)

    /// A code is requested from a network.
    case codeFromNetwork(Network)

    /// A text message is sent.
    ///
    /// Each message counts towards one share of the limit for all text messages.
    case textMessage(share: Int, isProven: Bool)

    /// A wrong code is entered for a phone number or mailbox.
    case guess(at: ContactAddress)

    /// A wrong code is entered from one of the account's known networks after the limit of ``guess(at:)`` has
    /// been reached.
    case guessInReserve(at: ContactAddress)

    /// A wrong password for an account is entered from any unknown network.
    case failure(of: LimitedAccount)

    /// A wrong password for an account is entered from one network.
    ///
    /// A successful login resets the count.
    case failureOnNetwork(LimitedAccount, Network)

    /// A wrong password is entered for an account, on one of its known networks.
    ///
    /// A successful login doesn't reset the count.
    case failureOnKnownNetwork(LimitedAccount, Network)

    /// A wrong password for any account is entered from a network.
    case failureFromNetwork(Network)

    /// On a network, a login or a code is rejected for an account that hasn't yet been counted towards the
    /// network's limit.
    case accountFailedFromNetwork(Network)

    /// An account is registered from a network, or the registration is rejected.
    case registration(Network)

    /// A user tries to change the password, an identifier or an address of an account.
    case accountChange(Identifier)

    /// A notice about an account is sent as a text message.
    case noticeText(Identifier)

    /// A notice about a new device is sent as a text message.
    case deviceNoticeText(Identifier)

    /// A user is notified that a login to their account was rejected.
    case refusedEntryNotice(Identifier)

    /// A certificate is issued for a session.
    case enrolment(Identifier)

    /// An account's data is exported.
    case export(Identifier)

    /// An account places an order.
    case order(Identifier)

    /// A payment method is added to an account.
    case paymentMethod(Identifier)

    /// A payment method is added from a network.
    case paymentMethodFromNetwork(Network)

    /// The purchases of an account are restored.
    case restore(Identifier)

    /// The purchase history of an account is signed.
    case history(Identifier)

    /// The bytes that identify this kind of event and its subject.
    ///
    /// Events with equal bytes are counted together.
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
        case .export: "export"
        case .order: "order"
        case .paymentMethod: "payment method"
        case .paymentMethodFromNetwork: "payment method from address"
        case .restore: "restore"
        case .history: "purchase history"
        }
    }

    private var parameters: [UInt8] {
        switch self {
        case .code(let address), .codeInReserve(let address), .guess(let address),
            .guessInReserve(let address):
            Array(address.value.utf8)
        case .codeFromNetwork(let network), .failureFromNetwork(let network),
            .accountFailedFromNetwork(let network), .registration(let network),
            .paymentMethodFromNetwork(let network):
            network.prefix
        case .textMessage(let share, _): Array(String(share).utf8)
        case .failure(let account): account.subject
        case .failureOnNetwork(let account, let network), .failureOnKnownNetwork(let account, let network):
            [UInt8(truncatingIfNeeded: network.prefix.count)] + network.prefix + account.subject
        case .accountChange(let id), .noticeText(let id), .deviceNoticeText(let id),
            .refusedEntryNotice(let id), .enrolment(let id), .export(let id), .order(let id),
            .paymentMethod(let id), .restore(let id), .history(let id):
            id.bytes
        }
    }
}

extension Message.Channel {
    /// The channel's name in ``LimitedEvent/subject``.
    ///
    /// Changing the name would reset the counts.
    fileprivate var subject: String {
        switch self {
        case .sms: "phone"
        case .email: "mailbox"
        }
    }
}
