import LatchkeyModel
import LatchkeyServerKit
import LatchkeyWire

/// A payment method as it is stored in the database.
struct PaymentMethod: Hashable, Sendable {
    /// The maximum number of payment methods per account.
    static let most = 10

    let id: Identifier
    let kind: PaymentMethodKind
    /// The token that identifies the card to the payment provider.
    let token: Secret
    let brand: String
    let lastFour: String
    let isDefault: Bool
    let createdAt: Timestamp

    /// The payment method as the API returns it.
    ///
    /// The body doesn't include the token.
    var body: PaymentMethodBody {
        PaymentMethodBody(
            id: id.description,
            kind: kind,
            brand: brand,
            lastFour: lastFour,
            isDefault: isDefault,
            createdAt: createdAt.description
        )
    }
}

extension PaymentMethod {
    /// Reads a payment method from the columns that ``PaymentMethodRepository`` selects.
    init(row: Row) throws(DatabaseError) {
        guard let kind = PaymentMethodKind(rawValue: try row.text(1)) else {
            throw DatabaseError(
                .mismatch,
                message: "A payment method has a kind that is unknown to this version."
            )
        }
        id = try row.identifier(0)
        self.kind = kind
        token = Secret(try row.text(2))
        brand = try row.text(3)
        lastFour = try row.text(4)
        isDefault = try row.bool(5)
        createdAt = try row.time(6)
    }
}
