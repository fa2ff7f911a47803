/// The state of a purchase transaction.
package enum TransactionState: String, Sendable, Codable, CaseIterable {
    /// The payment has been requested, but its outcome isn't known yet.
    case purchasing
    /// The payment must be confirmed outside the app.
    case deferred
    /// The payment has been charged.
    case purchased
    /// The payment failed, so the user was not charged.
    case failed
    /// The payment was charged, but has since been refunded by the operator.
    case refunded
}
