/// An event in the life of a purchase.
enum PurchaseEvent: Hashable, Sendable {
    /// The payment provider has returned the result of a charge or of a cancellation.
    case result(PaymentResult)
    /// The user has confirmed the deferred payment.
    case approved
    /// The user has denied the deferred payment.
    case denied
    /// The confirmation was not given in time.
    case confirmationExpired
    /// The payment method or the account of the deferred payment was removed.
    case cancelled
    /// The operator has returned the money.
    case refunded
}
