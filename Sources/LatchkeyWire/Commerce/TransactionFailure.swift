/// The reason for which a purchase transaction failed.
package enum TransactionFailure: String, Sendable, Codable, CaseIterable {
    /// The payment provider declined the payment.
    case declined
    /// The confirmation of a deferred payment was denied.
    case confirmationDenied = "confirmation_denied"
    /// The payment provider or the confirmation did not respond in time.
    case timedOut = "timed_out"
    /// The payment was cancelled, because its payment method was removed or the account was taken over.
    case cancelled
}
