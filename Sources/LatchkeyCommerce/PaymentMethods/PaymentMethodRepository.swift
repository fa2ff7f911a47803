import LatchkeyModel
import LatchkeyServerKit
import LatchkeyWire

/// The repository of payment methods.
///
/// Changes require that the caller has locked the row of the account, so the number of payment methods and the
/// default cannot change at the same time.
enum PaymentMethodRepository {
    /// The columns of a payment method, in the order in which ``PaymentMethod`` is read.
    private static let columns: SQL = "id, kind, token, brand, last_four, is_default, created_at"

    private static let ofIdentity: SQL = """
        SELECT \(columns) FROM payment_methods WHERE identity_id = $1 ORDER BY created_at, id
        """

    private static let insertion: SQL = """
        INSERT INTO payment_methods (\(columns), identity_id) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
        """

    /// Returns the payment methods of an account, oldest first.
    static func all(of identity: Identifier, in database: any Database) async throws -> [PaymentMethod] {
        try await database.rows(ofIdentity, .identifier(identity)).map(PaymentMethod.init(row:))
    }

    /// Returns the payment methods of an account, oldest first.
    static func all(of identity: Identifier, in transaction: borrowing Transaction) throws(DatabaseError)
        -> [PaymentMethod]
    {
        var methods: [PaymentMethod] = []
        for row in try transaction.rows(ofIdentity, .identifier(identity)) {
            methods.append(try PaymentMethod(row: row))
        }
        return methods
    }

    /// Stores a new payment method; if it is the default, no other one may be.
    static func insert(
        _ method: PaymentMethod,
        of identity: Identifier,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) {
        try transaction.execute(
            insertion,
            .identifier(method.id),
            .text(method.kind.rawValue),
            .text(method.token.exposed),
            .text(method.brand),
            .text(method.lastFour),
            .bool(method.isDefault),
            .time(method.createdAt),
            .identifier(identity)
        )
    }

    /// Makes one payment method of an account the default; `nil` leaves the account without a default.
    static func setDefault(
        _ method: Identifier?,
        of identity: Identifier,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) {
        try transaction.execute(
            "UPDATE payment_methods SET is_default = 0 WHERE identity_id = $1 AND is_default = 1",
            .identifier(identity)
        )
        guard let method else { return }
        try transaction.execute(
            "UPDATE payment_methods SET is_default = 1 WHERE id = $1 AND identity_id = $2",
            .identifier(method),
            .identifier(identity)
        )
    }

    /// Deletes a payment method.
    ///
    /// - Returns: Whether the account had it.
    static func delete(
        _ method: Identifier,
        of identity: Identifier,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) -> Bool {
        try transaction.execute(
            "DELETE FROM payment_methods WHERE id = $1 AND identity_id = $2",
            .identifier(method),
            .identifier(identity)
        ) == 1
    }

    /// Deletes all payment methods of an account.
    static func deleteAll(of identity: Identifier, in transaction: borrowing Transaction)
        throws(DatabaseError)
    {
        try transaction.execute("DELETE FROM payment_methods WHERE identity_id = $1", .identifier(identity))
    }
}
