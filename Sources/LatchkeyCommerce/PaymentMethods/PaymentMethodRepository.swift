import LatchkeyModel
import LatchkeyServerKit
import LatchkeyWire

/// Stores payment methods.
///
/// Before making changes, the caller must have locked the account's row, so that the number of payment
/// methods and the default cannot be changed concurrently.
enum PaymentMethodRepository {
    /// The columns that are read for a payment method.
    ///
    /// The order of the columns matters, because rows are read by position.
    private static let columns: SQL = "id, kind, token, brand, last_four, is_default, created_at"

    private static let ofIdentity: SQL = """
        SELECT \(columns) FROM payment_methods WHERE identity_id = $1 ORDER BY created_at, id
        """

    private static let insertion: SQL = """
        INSERT INTO payment_methods (\(columns), identity_id) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
        """

    /// Returns the account's payment methods, oldest first.
    static func all(of identity: Identifier, in database: any Database) async throws -> [PaymentMethod] {
        try await database.rows(ofIdentity, .identifier(identity)).map(PaymentMethod.init(row:))
    }

    /// Returns the account's payment methods, oldest first.
    static func all(of identity: Identifier, in transaction: borrowing Transaction) throws(DatabaseError)
        -> [PaymentMethod]
    {
        var methods: [PaymentMethod] = []
        for row in try transaction.rows(ofIdentity, .identifier(identity)) {
            methods.append(try PaymentMethod(row: row))
        }
        return methods
    }

    /// Stores a new payment method.
    ///
    /// If the new payment method is the default, the account must not have another default.
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

    /// Makes a payment method the account's default.
    ///
    /// If `method` is `nil`, the account no longer has a default payment method.
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
    /// - Returns: Whether the payment method existed.
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

    /// Deletes all of an account's payment methods.
    static func deleteAll(of identity: Identifier, in transaction: borrowing Transaction)
        throws(DatabaseError)
    {
        try transaction.execute("DELETE FROM payment_methods WHERE identity_id = $1", .identifier(identity))
    }
}
