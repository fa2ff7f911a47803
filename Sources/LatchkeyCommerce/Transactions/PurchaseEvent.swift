/// An event that may change the state of a purchase.
enum PurchaseEvent: Hashable, Sendable {
    /// The payment provider returned a result after we charged or cancelled the payment.
    case result(PaymentResult)
    /// The user approved the deferred payment.
    case approved
    /// The user denied the deferred payment.
    case denied
    /// The user didn't confirm the payment in time.
    case confirmationExpired
    /// The payment method of the deferred payment was removed.
    case cancelled
    /// The operator refunded the purchase.
    case refunded
}
