/// The reason why a purchase transaction failed.
package enum TransactionFailure: String, Sendable, Codable, CaseIterable {
    /// The payment provider declined the payment.
    case declined
    /// A deferred payment was denied.
    case confirmationDenied = "confirmation_denied"
    /// The payment provider didn't respond in time, or a deferred payment wasn't confirmed in time.
    case timedOut = "timed_out"
    /// The payment was cancelled because the payment method was removed or the account was taken over.
    case cancelled
}
