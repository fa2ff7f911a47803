import LatchkeyServerKit
import LatchkeyWire

/// The reason for which an order is refused.
enum OrderRefusal: Hashable, Sendable, CaseIterable {
    /// The idempotency key belongs to another order.
    case keyReused
    /// The storefront of the account does not sell the product.
    case unavailable
    /// The order has more than one unit of a non-consumable product.
    case tooManyUnits
    /// The account owns the non-consumable product.
    case alreadyPurchased
    /// The account is about to buy the non-consumable product.
    case pending
    /// The current price differs from the one that the app has shown.
    case priceChanged
    /// The account has no payment method, or not the one in the order.
    case noPaymentMethod

    /// The error that the client receives.
    var error: ServerError {
        switch self {
        case .keyReused:
            ServerError(
                409,
                id: .idempotencyKeyReused,
                reason: "The idempotency key was used for a different order. Use a new key for each order."
            )
        case .unavailable:
            ServerError(404, id: .productUnavailable, reason: "The product is not sold in this storefront.")
        case .tooManyUnits: .malformed("The quantity of a non-consumable product must be 1.")
        case .alreadyPurchased:
            ServerError(
                409,
                id: .alreadyPurchased,
                reason: "The account owns the product. Restore its purchases."
            )
        case .pending:
            ServerError(
                409,
                id: .purchasePending,
                reason: "The account is already buying the product. Wait for the result of that transaction."
            )
        case .priceChanged:
            ServerError(409, id: .priceChanged, reason: "The price has changed. Read the product again.")
        case .noPaymentMethod:
            ServerError(
                409,
                id: .paymentMethodRequired,
                reason: "The account does not have this payment method. Add one, or choose another one."
            )
        }
    }
}
