import LatchkeyModel
import LatchkeyServerKit

/// Cancels the payments of erased accounts at the payment provider.
struct ErasedPaymentCanceller: Sendable {
    /// How long a payment is reserved for the node that cancels it, and the pause before the next attempt.
    private static let lease: Duration = .seconds(10)

    let provider: any PaymentProvider
    let database: any Database
    let time: any TimeSource

    /// Cancels the payments that are due.
    ///
    /// If the provider doesn't answer, the payment is due again after its lease expires.
    ///
    /// - Parameter limit: The maximum number of payments.
    /// - Returns: The number of payments that were due.
    /// - Throws: ``DatabaseError``.
    func round(limit: Int) async throws -> Int {
        let due = try await ErasedPayment.due(at: time.now, limit: limit, in: database)
        for payment in due {
            guard !Task.isCancelled else { break }
            try? await cancel(payment)
        }
        return due.count
    }

    /// Cancels a payment, unless another node is already doing so.
    ///
    /// If the payment was charged in the meantime, it is refunded, because the product can't be delivered
    /// anymore. The payment's reference is deleted when the provider has answered.
    private func cancel(_ payment: ErasedPayment) async throws {
        let now = time.now
        let isTaken = try await database.transaction { transaction in
            try payment.take(until: now + Self.lease, at: now, in: transaction)
        }
        guard isTaken else { return }
        if try await provider.cancel(payment.transaction, at: now) == .charged {
            try await provider.refund(payment.transaction, at: now)
        }
        try await database.transaction { try payment.delete(in: $0) }
    }
}
