import LatchkeyServerKit
import LatchkeyWire

/// The reason why an order is rejected.
enum OrderRefusal: Hashable, Sendable, CaseIterable {
    /// The idempotency key was used for a different order.
    case keyReused
    /// The product isn't sold in the account's storefront.
    case unavailable
    /// The quantity of a non-consumable product is greater than 1.
    case tooManyUnits
    /// The account already owns the non-consumable product.
    case alreadyPurchased
    /// The account is already buying the non-consumable product.
    case pending
    /// The current price differs from the price that the app displayed.
    case priceChanged
    /// The account doesn't have the specified payment method, or doesn't have any.
    case noPaymentMethod

    /// The error to send to the client.
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
                reason: "The account already owns the product. Restore the purchases instead."
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
