/// The state of a purchase transaction.
package enum TransactionState: String, Sendable, Codable, CaseIterable {
    /// The payment has been requested and has no result yet.
    case purchasing
    /// The payment waits for a confirmation outside the app.
    case deferred
    /// The payment was charged.
    case purchased
    /// The payment failed without a charge.
    case failed
    /// The payment was charged and later returned by the operator.
    case refunded
}
