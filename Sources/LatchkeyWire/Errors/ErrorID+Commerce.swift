/// The identifiers of the purchase API.
extension ErrorID {
    /// The number is not one of the sandbox numbers, so no card was stored (400).
    package static let cardNotAccepted = ErrorID(rawValue: "card_not_accepted")
    /// The account has the maximum number of payment methods (409).
    package static let tooManyPaymentMethods = ErrorID(rawValue: "too_many_payment_methods")
    /// The product has another price than the one that the app has shown (409); the app reads it again.
    package static let priceChanged = ErrorID(rawValue: "price_changed")
    /// The idempotency key belongs to an order with another body (409).
    package static let idempotencyKeyReused = ErrorID(rawValue: "idempotency_key_reused")
    /// The account has no payment method, or not the one that the order names (409).
    package static let paymentMethodRequired = ErrorID(rawValue: "payment_method_required")
    /// The product is not sold in the storefront of the account (404).
    package static let productUnavailable = ErrorID(rawValue: "product_unavailable")
    /// The account owns the non-consumable product (409); the app restores the purchase.
    package static let alreadyPurchased = ErrorID(rawValue: "already_purchased")
    /// The non-consumable product is part of a transaction without a result yet (409).
    package static let purchasePending = ErrorID(rawValue: "purchase_pending")
    /// The transaction has no result yet, so it cannot be finished (409).
    package static let transactionPending = ErrorID(rawValue: "transaction_pending")
    /// The transaction cannot be refunded, because it was not purchased (409).
    package static let transactionNotPurchased = ErrorID(rawValue: "transaction_not_purchased")
}
