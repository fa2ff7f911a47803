import LatchkeyServerKit

/// The outcome of an attempt to cancel a pending payment of an erased account.
package enum ErasedPaymentOutcome: String, Hashable, Sendable, CaseIterable, MetricLabels {
    /// The provider has cancelled the payment.
    case cancelled
    /// The payment had been charged, and was refunded.
    case refunded
    /// The provider or the database couldn't be reached, or the provider has rejected the request. The attempt
    /// is repeated.
    case failed

    package var values: [String] { [rawValue] }
}
