import LatchkeyModel
import LatchkeyServerKit

/// A payment that had no result when its account was erased.
///
/// Only the reference and the amount are stored, which don't identify a person, until the payment provider
/// confirms that the payment was cancelled.
struct ErasedPayment: Hashable, Sendable {
    /// The transaction's id, which the payment provider knows.
    let transaction: Identifier
}

extension ErasedPayment {
    /// Stores the account's payments that have no result yet, so that they can be cancelled.
    ///
    /// The caller deletes the purchases in the same transaction.
    static func storeAll(
        of identity: Identifier,
        at now: Timestamp,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) {
        try transaction.execute(
            """
            INSERT INTO erased_payments (transaction_id, amount, currency, due_at) \
            SELECT id, amount * quantity, currency, $1 FROM purchases \
            WHERE identity_id = $2 AND state IN ('purchasing', 'deferred') ON CONFLICT DO NOTHING
            """,
            .time(now),
            .identifier(identity)
        )
    }

    /// Returns the payments that are due, starting with the most overdue.
    ///
    /// A payment is also due if it is reserved for longer than a lease allows, because the clock was ahead when
    /// it was reserved.
    static func due(at now: Timestamp, limit: Int, in database: any Database) async throws
        -> [ErasedPayment]
    {
        try await database.rows(
            """
            SELECT transaction_id FROM erased_payments WHERE due_at <= $1 OR due_at > $2 \
            ORDER BY due_at, transaction_id LIMIT $3
            """,
            .time(now),
            .time(PurchaseProcessor.latestLease(at: now)),
            .integer(Int64(limit))
        ).map { ErasedPayment(transaction: try $0.identifier(0)) }
    }

    /// Reserves a payment that is due, so that no other node cancels it at the same time.
    ///
    /// - Returns: Whether the payment was reserved.
    func take(until end: Timestamp, at now: Timestamp, in transaction: borrowing Transaction)
        throws(DatabaseError) -> Bool
    {
        try transaction.execute(
            """
            UPDATE erased_payments SET due_at = $1 \
            WHERE transaction_id = $2 AND (due_at <= $3 OR due_at > $4)
            """,
            .time(end),
            .identifier(self.transaction),
            .time(now),
            .time(PurchaseProcessor.latestLease(at: now))
        ) == 1
    }

    /// Deletes the payment after it was cancelled.
    func delete(in transaction: borrowing Transaction) throws(DatabaseError) {
        try transaction.execute(
            "DELETE FROM erased_payments WHERE transaction_id = $1",
            .identifier(self.transaction)
        )
    }
}
