import LatchkeyModel
import LatchkeyServerKit

/// Stores the sandbox's payments, with one row for each transaction that has a result.
///
/// The rows contain neither the account nor the card, and they are kept when the account is deleted.
enum SandboxLedger {
    /// A payment to be added to the ledger.
    struct Entry: Sendable {
        let transaction: Identifier
        /// The amount, or `nil` if the payment was cancelled before it was charged.
        let amount: Money?
        let result: PaymentResult
        let time: Timestamp

        init(_ charge: PaymentCharge, result: PaymentResult, at now: Timestamp) {
            transaction = charge.transaction
            amount = charge.amount
            self.result = result
            time = now
        }

        init(cancelling transaction: Identifier, at now: Timestamp) {
            self.transaction = transaction
            amount = nil
            result = .cancelled
            time = now
        }
    }

    /// Stores a payment, unless there already is a payment for the transaction.
    ///
    /// This statement ensures that each transaction is charged only once. If the same transaction is charged
    /// again, even concurrently, no row is inserted.
    ///
    /// - Returns: Whether the payment was stored.
    static func insert(_ entry: Entry, in transaction: borrowing Transaction) throws(DatabaseError) -> Bool {
        try transaction.execute(
            """
            INSERT INTO sandbox_payments (transaction_id, amount, currency, result, created_at) \
            VALUES ($1, $2, $3, $4, $5) ON CONFLICT (transaction_id) DO NOTHING
            """,
            .identifier(entry.transaction),
            .integer(entry.amount?.amount ?? 0),
            .optional(entry.amount?.currency.code),
            .text(entry.result.rawValue),
            .time(entry.time)
        ) == 1
    }

    /// Sets the final result of a pending payment.
    ///
    /// - Parameters:
    ///   - payment: The transaction's id.
    ///   - result: The final result.
    ///   - time: The payment is only changed if it was created at or before this time. If `nil`, the payment
    ///     is changed regardless of its age.
    ///   - transaction: The database transaction that the result is stored in.
    /// - Throws: ``DatabaseError``.
    static func resolve(
        _ payment: Identifier,
        as result: PaymentResult,
        begunBefore time: Timestamp?,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) {
        try transaction.execute(
            """
            UPDATE sandbox_payments SET result = $1 \
            WHERE transaction_id = $2 AND result = 'pending' AND created_at <= $3
            """,
            .text(result.rawValue),
            .identifier(payment),
            .time(time ?? Timestamp(microseconds: .max))
        )
    }

    /// Records that a payment was refunded.
    ///
    /// If the payment wasn't charged, this method has no effect.
    static func refund(
        _ payment: Identifier,
        at now: Timestamp,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) {
        try transaction.execute(
            """
            UPDATE sandbox_payments SET refunded_at = $1 \
            WHERE transaction_id = $2 AND result = 'charged' AND refunded_at IS NULL
            """,
            .time(now),
            .identifier(payment)
        )
    }

    private static let resultOfPayment: SQL = "SELECT result FROM sandbox_payments WHERE transaction_id = $1"

    /// Returns the result of a payment, or `nil` if there is none.
    static func result(of payment: Identifier, in transaction: borrowing Transaction) throws(DatabaseError)
        -> PaymentResult?
    {
        try result(transaction.rows(resultOfPayment, .identifier(payment)))
    }

    /// Returns the result of a payment, or `nil` if there is none.
    ///
    /// This method doesn't use a transaction.
    static func result(of payment: Identifier, in database: any Database) async throws(DatabaseError)
        -> PaymentResult?
    {
        try result(await database.rows(resultOfPayment, .identifier(payment)))
    }

    private static func result(_ rows: [Row]) throws(DatabaseError) -> PaymentResult? {
        guard let row = rows.first else { return nil }
        guard let result = PaymentResult(rawValue: try row.text(0)) else {
            throw DatabaseError(.mismatch, message: "A payment has a result that is unknown to this version.")
        }
        return result
    }
}
