import LatchkeyCourier
package import LatchkeyModel

/// A rate-limited event, together with the subject that it is counted for.
package enum LimitedEvent: Hashable, Sendable {
    /// A code is sent to a phone number or mailbox.
    case code(to: ContactAddress)

    /// A code is sent to a phone number or mailbox, which keeps other networks waiting silently for a moment.
    case codeSpacing(to: ContactAddress)

    /// A code for a phone number or mailbox is requested from one network.
    ///
    /// The network's own wait between two codes for one address is announced.
    case codeOnNetwork(to: ContactAddress, Network)

    /// A code is sent even though the limit of ``code(to:)`` has been reached, because it was requested from
    /// a known network.
    case codeInReserve(to: ContactAddress)

    /// A code is requested from a network.
    case codeFromNetwork(Network)

    /// A text message is sent.
    ///
    /// Each message counts towards one share of the limit for all text messages.
    case textMessage(share: Int, isProven: Bool)

    /// A text message to an unproven number is requested from a block from which no number was proven
    /// recently.
    ///
    /// Each message counts towards one share.
    case textMessageFromNewBlock(share: Int)

    /// A text message to an unproven number is requested from a block.
    case textMessageFromBlock(NetworkBlock)

    /// A text message is sent to an unproven number with a calling code.
    ///
    /// The limit depends on how many numbers with the calling code were proven within the last day.
    case textMessageToCallingCode(String, proven: Int)

    /// A text message to an unproven number with a calling code is requested from a block.
    case textMessageFromBlockToCallingCode(NetworkBlock, String, proven: Int)

    /// A phone number is proven.
    ///
    /// This isn't limited, but the number counts only once a day for ``callingCodeProven(_:)``.
    case phoneProven(ContactAddress)

    /// A phone number with a calling code is proven.
    ///
    /// This isn't limited, but it raises the limit of ``textMessageToCallingCode(_:proven:)``.
    case callingCodeProven(String)

    /// A phone number is proven from a block.
    ///
    /// This isn't limited, but the block no longer counts as new.
    case blockProven(NetworkBlock)

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

    /// The waits that wrong passwords for an account have caused are ended on all networks, because the
    /// password was replaced.
    ///
    /// This isn't limited. Earlier failures don't make clients wait any more.
    case waitsEnded(LimitedAccount)

    /// A wrong password for any account is entered from a network.
    case failureFromNetwork(Network)

    /// On a network, a login or a code is rejected for an account that hasn't yet been counted towards the
    /// network's limit.
    case accountFailedFromNetwork(Network)

    /// An account is registered from a network, or the registration is rejected.
    case registration(Network)

    /// A form of a flow without an account is stored for a network.
    case keptForm(Network)

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

    /// The tokens of a session are renewed.
    case renewal(Identifier)

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
        case .codeSpacing(let address): "recent code for \(address.via.subject)"
        case .codeOnNetwork(let address, _): "code on network for \(address.via.subject)"
        case .codeInReserve(let address): "reserved code for \(address.via.subject)"
        case .codeFromNetwork: "code for address"
        case .textMessage(_, let isProven): isProven ? "text message" : "text message to new phone"
        case .textMessageFromNewBlock: "text message from new block"
        case .textMessageFromBlock: "text message from block"
        case .textMessageToCallingCode: "text message to calling code"
        case .textMessageFromBlockToCallingCode: "text message from block to calling code"
        case .phoneProven: "proven phone"
        case .callingCodeProven: "proven calling code"
        case .blockProven: "proven block"
        case .guess(let address): "guess for \(address.via.subject)"
        case .guessInReserve(let address): "reserved guess for \(address.via.subject)"
        case .failure: "failure of account"
        case .failureOnNetwork: "failure of account on network"
        case .failureOnKnownNetwork: "failure of account on known network"
        case .waitsEnded: "waits ended"
        case .failureFromNetwork: "failure from address"
        case .accountFailedFromNetwork: "account failed from network"
        case .registration: "registration"
        case .keptForm: "kept form"
        case .renewal: "token renewal"
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
            .guessInReserve(let address), .codeSpacing(let address), .phoneProven(let address):
            Array(address.value.utf8)
        case .codeFromNetwork(let network), .failureFromNetwork(let network),
            .accountFailedFromNetwork(let network), .registration(let network),
            .paymentMethodFromNetwork(let network), .keptForm(let network):
            network.prefix
        case .codeOnNetwork(let address, let network):
            [UInt8(truncatingIfNeeded: network.prefix.count)] + network.prefix + Array(address.value.utf8)
        case .textMessage(let share, _), .textMessageFromNewBlock(let share): Array(String(share).utf8)
        case .textMessageFromBlock(let block), .blockProven(let block): block.prefix
        case .textMessageToCallingCode(let code, _), .callingCodeProven(let code): Array(code.utf8)
        case .textMessageFromBlockToCallingCode(let block, let code, _):
            [UInt8(truncatingIfNeeded: block.prefix.count)] + block.prefix + Array(code.utf8)
        case .failure(let account), .waitsEnded(let account): account.subject
        case .failureOnNetwork(let account, let network), .failureOnKnownNetwork(let account, let network):
            [UInt8(truncatingIfNeeded: network.prefix.count)] + network.prefix + account.subject
        case .accountChange(let id), .noticeText(let id), .deviceNoticeText(let id),
            .refusedEntryNotice(let id), .enrolment(let id), .export(let id), .order(let id),
            .paymentMethod(let id), .restore(let id), .history(let id), .renewal(let id):
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
