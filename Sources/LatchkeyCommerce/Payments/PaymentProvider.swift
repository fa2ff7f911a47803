package import LatchkeyModel

/// A payment provider, which stores cards and processes payments.
///
/// All operations on a payment can be repeated. A payment is identified by the id of its transaction, so
/// repeated or concurrent charges return the same result and never charge the card twice.
package protocol PaymentProvider: Sendable {
    /// Stores a card and returns the token that represents it.
    ///
    /// - Parameter number: The card number as the user entered it. The number must not be stored or logged.
    /// - Returns: The stored card, or `nil` if the provider rejects the number.
    /// - Throws: An error if the provider doesn't respond.
    func register(_ number: Secret) async throws -> PaymentInstrument?

    /// Charges a card, or returns the result if the transaction has already been charged.
    ///
    /// - Parameters:
    ///   - charge: The payment to make: the transaction, the card and the amount.
    ///   - now: The current time.
    /// - Returns: The result. All results are final, except for ``PaymentResult/pending`` and
    ///   ``PaymentResult/confirmationRequired``.
    /// - Throws: An error if the result is unknown. The caller should try again.
    func charge(_ charge: PaymentCharge, at now: Timestamp) async throws -> PaymentResult

    /// Cancels a transaction's payment unless it has a final result.
    ///
    /// Charging the transaction after it has been cancelled has no effect.
    ///
    /// - Returns: ``PaymentResult/cancelled``, or the final result if the payment already had one.
    /// - Throws: An error if the result is unknown. The caller should try again.
    func cancel(_ transaction: Identifier, at now: Timestamp) async throws -> PaymentResult

    /// Refunds a transaction that was charged.
    ///
    /// Refunding a transaction again has no effect.
    ///
    /// - Throws: An error if the result is unknown. The caller should try again.
    func refund(_ transaction: Identifier, at now: Timestamp) async throws
}

/// A card that has been stored by a payment provider.
package struct PaymentInstrument: Sendable {
    /// The random token that represents the card.
    package let token: Secret
    package let brand: String
    package let lastFour: String

    /// Creates a stored card.
    package init(token: Secret, brand: String, lastFour: String) {
        self.token = token
        self.brand = brand
        self.lastFour = lastFour
    }
}

/// The information that is needed to charge a transaction.
package struct PaymentCharge: Sendable {
    /// The transaction's id, which is also the idempotency key.
    package let transaction: Identifier
    /// The token that represents the card.
    package let token: Secret
    /// The total amount to charge.
    package let amount: Money
    /// Whether the user has confirmed the payment outside the app.
    package let isConfirmed: Bool
}

/// The result of charging a card.
package enum PaymentResult: String, Sendable, CaseIterable {
    /// The card was charged.
    case charged
    /// The card was declined.
    case declined
    /// The user has to confirm the payment.
    ///
    /// The card hasn't been charged yet.
    case confirmationRequired = "confirmation_required"
    /// The provider doesn't have a result yet.
    case pending
    /// The payment timed out, and the card wasn't charged.
    case timedOut = "timed_out"
    /// The payment was cancelled before the card was charged.
    case cancelled
}
