/// A payment method of the account, without its token.
package struct PaymentMethodBody: Sendable, Hashable, Codable {
    package var id: String
    package var kind: PaymentMethodKind
    /// The brand of the card, such as `sandbox`.
    package var brand: String
    /// The last four digits of the number.
    package var lastFour: String
    /// Whether orders use the payment method if they name no other.
    package var isDefault: Bool
    /// The time at which the payment method was added, in RFC 3339.
    package var createdAt: String

    private enum CodingKeys: String, CodingKey {
        case id, kind, brand
        case lastFour = "last_four"
        case isDefault = "is_default"
        case createdAt = "created_at"
    }

    /// Creates the body.
    package init(
        id: String,
        kind: PaymentMethodKind,
        brand: String,
        lastFour: String,
        isDefault: Bool,
        createdAt: String
    ) {
        self.id = id
        self.kind = kind
        self.brand = brand
        self.lastFour = lastFour
        self.isDefault = isDefault
        self.createdAt = createdAt
    }
}

/// The payment methods of the account, oldest first.
package struct PaymentMethodsBody: Sendable, Codable {
    package var paymentMethods: [PaymentMethodBody]

    private enum CodingKeys: String, CodingKey {
        case paymentMethods = "payment_methods"
    }

    /// Creates the body.
    package init(paymentMethods: [PaymentMethodBody]) {
        self.paymentMethods = paymentMethods
    }
}
