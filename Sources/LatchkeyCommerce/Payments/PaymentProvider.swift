package import LatchkeyModel

/// A provider of payments, which stores the cards and moves the money.
///
/// Every operation on a payment can be repeated. The id of the transaction identifies the payment, so a repeated or
/// concurrent charge never moves money twice and returns the same result.
package protocol PaymentProvider: Sendable {
    /// Stores a card and returns the token that represents it.
    ///
    /// - Parameter number: The number as the user has entered it, which is neither stored nor logged.
    /// - Returns: The stored card; `nil` if the provider does not accept the number.
    /// - Throws: An error if the provider does not respond.
    func register(_ number: Secret) async throws -> PaymentInstrument?

    /// Charges a card, or returns the result of an earlier charge with the same transaction.
    ///
    /// - Parameters:
    ///   - charge: The transaction, the card and the amount.
    ///   - now: The current time.
    /// - Returns: The result, which is final except for ``PaymentResult/pending`` and
    ///   ``PaymentResult/confirmationRequired``.
    /// - Throws: An error if the result is unknown; the caller repeats the charge.
    func charge(_ charge: PaymentCharge, at now: Timestamp) async throws -> PaymentResult

    /// Cancels the payment of a transaction that has no final result, so that a later charge moves no money.
    ///
    /// - Returns: ``PaymentResult/cancelled``, or the final result that the payment already had.
    /// - Throws: An error if the result is unknown; the caller repeats the call.
    func cancel(_ transaction: Identifier, at now: Timestamp) async throws -> PaymentResult

    /// Returns the money of a charged transaction, once however often the method is called.
    ///
    /// - Throws: An error if the result is unknown; the caller repeats the call.
    func refund(_ transaction: Identifier, at now: Timestamp) async throws
}

/// A card that a payment provider has stored.
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

/// The charge of one transaction.
package struct PaymentCharge: Sendable {
    /// The id of the transaction, which is the idempotency key.
    package let transaction: Identifier
    /// The token of the card.
    package let token: Secret
    /// The total amount.
    package let amount: Money
    /// Whether the user has confirmed the payment outside the app.
    package let isConfirmed: Bool
}

/// The result of a charge.
package enum PaymentResult: String, Sendable, CaseIterable {
    /// The money was moved.
    case charged
    /// The card was declined.
    case declined
    /// The user has to confirm the payment; no money was moved yet.
    case confirmationRequired = "confirmation_required"
    /// The provider has no result yet.
    case pending
    /// The provider gave up; no money was moved.
    case timedOut = "timed_out"
    /// The payment was cancelled before any money was moved.
    case cancelled
}
