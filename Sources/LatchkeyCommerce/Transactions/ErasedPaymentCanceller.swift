import LatchkeyModel
import LatchkeyServerKit

/// Cancels the payments of erased accounts at the payment provider.
struct ErasedPaymentCanceller: Sendable {
    let provider: any PaymentProvider
    let database: any Database
    let time: any TimeSource
    let attempts: CounterTable<ErasedPaymentOutcome>

    /// Cancels the payments that are due.
    ///
    /// If the provider doesn't answer, the payment is due again after its lease
    /// (``PurchaseProcessor/lease``) expires.
    ///
    /// - Parameter limit: The maximum number of payments.
    /// - Returns: The number of payments that were due.
    /// - Throws: ``DatabaseError``.
    func round(limit: Int) async throws -> Int {
        let due = try await ErasedPayment.due(at: time.now, limit: limit, in: database)
        for payment in due {
            guard !Task.isCancelled else { break }
            do {
                if let outcome = try await cancel(payment) { attempts.add(outcome) }
            } catch {
                attempts.add(.failed)
            }
        }
        return due.count
    }

    /// Cancels a payment, unless another node is already doing so.
    ///
    /// If the payment was charged in the meantime, it is refunded, because the product can't be delivered
    /// anymore. The payment's reference is deleted when the provider has answered.
    ///
    /// - Returns: The outcome, or `nil` if another node is cancelling the payment.
    private func cancel(_ payment: ErasedPayment) async throws -> ErasedPaymentOutcome? {
        let now = time.now
        let isTaken = try await database.transaction { transaction in
            try payment.take(until: now + PurchaseProcessor.lease, at: now, in: transaction)
        }
        guard isTaken else { return nil }
        let isCharged = try await provider.cancel(payment.transaction, at: now) == .charged
        if isCharged { try await provider.refund(payment.transaction, at: now) }
        try await database.transaction { try payment.delete(in: $0) }
        return isCharged ? .refunded : .cancelled
    }
}
