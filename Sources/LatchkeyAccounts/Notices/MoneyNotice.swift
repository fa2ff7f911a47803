import LatchkeyCourier

/// A notice about an account's money.
package enum MoneyNotice: Hashable, Sendable {
    /// A card with the given last digits was added.
    case cardAdded(lastFour: String)
    /// A purchase was charged.
    case receipt(item: String, amount: String, reference: String)

    /// The kind of message.
    var kind: MessageKind {
        switch self {
        case .cardAdded: .paymentMethodAdded
        case .receipt: .receipt
        }
    }

    /// The values that the message contains.
    var details: MessageDetails {
        switch self {
        case .cardAdded(let lastFour): MessageDetails(item: "**** " + lastFour)
        case .receipt(let item, let amount, let reference):
            MessageDetails(item: item, amount: amount, reference: reference)
        }
    }
}
