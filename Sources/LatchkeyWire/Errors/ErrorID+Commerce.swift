/// Error identifiers of the purchase API.
extension ErrorID {
    /// The request is malformed or contains a value that isn't allowed (400 or 413).
    package static let requestInvalid = ErrorID(rawValue: "request_invalid")
    /// The account has no such transaction or payment method (404).
    package static let notFound = ErrorID(rawValue: "not_found")
    /// The card number isn't one of the sandbox numbers, so the card was not stored (400).
    package static let cardNotAccepted = ErrorID(rawValue: "card_not_accepted")
    /// The account already has the maximum number of payment methods (409).
    package static let tooManyPaymentMethods = ErrorID(rawValue: "too_many_payment_methods")
    /// The price differs from the one that the app showed to the user (409).
    ///
    /// The app should load the product again.
    package static let priceChanged = ErrorID(rawValue: "price_changed")
    /// The idempotency key has already been used for a different order (409).
    package static let idempotencyKeyReused = ErrorID(rawValue: "idempotency_key_reused")
    /// The account doesn't have a payment method, or doesn't have the one specified in the order (409).
    package static let paymentMethodRequired = ErrorID(rawValue: "payment_method_required")
    /// The product isn't available in the account's storefront (404).
    package static let productUnavailable = ErrorID(rawValue: "product_unavailable")
    /// The account already owns this non-consumable product (409).
    ///
    /// The app should restore the purchase.
    package static let alreadyPurchased = ErrorID(rawValue: "already_purchased")
    /// There already is a transaction for this non-consumable product whose outcome isn't known yet (409).
    package static let purchasePending = ErrorID(rawValue: "purchase_pending")
    /// The transaction can't be finished because its outcome isn't known yet (409).
    package static let transactionPending = ErrorID(rawValue: "transaction_pending")
    /// The transaction can't be refunded because it isn't in the state `purchased` (409).
    package static let transactionNotPurchased = ErrorID(rawValue: "transaction_not_purchased")
}

extension ErrorID {
    /// The errors that prove that the server hasn't accepted an order with the same idempotency key.
    ///
    /// The server checks these requirements only for new orders. For an order that it has accepted, it returns the
    /// transaction.
    package static let orderRefusals: Set<ErrorID> = [
        .requestInvalid, .priceChanged, .idempotencyKeyReused, .paymentMethodRequired, .productUnavailable,
        .alreadyPurchased, .purchasePending, .dutyRequired, .sessionRefreshRequired, .deviceTooNew,
    ]

    /// The errors that prove that the server hasn't applied the request that contains an order.
    ///
    /// It may have applied an earlier one with the same idempotency key, unless the error is also in
    /// ``orderRefusals``.
    package static let orderRequestRefusals = orderRefusals.union([
        .sessionInactive, .tooManyRequests, .insufficientScope, .deviceCertificateRequired,
        .anotherProofRequired, .verifiedAddressRequired, .invalidDPoPProof, .useDPoPNonce,
    ])

    /// The errors that prove that a transaction can't be finished.
    package static let finishRefusals: Set<ErrorID> = [.transactionPending, .notFound, .requestInvalid]
}
