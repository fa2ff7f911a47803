/// A payment method of an account.
///
/// The provider's token is not included.
package struct PaymentMethodBody: AnswerBody, Hashable, Codable {
    /// The status is 201 if the payment method was added.
    package static let statuses: Set<Int> = [200, 201]

    package var id: String
    package var kind: PaymentMethodKind
    /// The card brand, such as `sandbox`.
    package var brand: String
    /// The last four digits of the card number.
    package var lastFour: String
    /// Whether this payment method is used for orders that don't specify one.
    package var isDefault: Bool
    /// When the payment method was added, in RFC 3339 format.
    package var createdAt: String

    private enum CodingKeys: String, CodingKey {
        case id, kind, brand
        case lastFour = "last_four"
        case isDefault = "is_default"
        case createdAt = "created_at"
    }

    /// Creates a payment method with the given values.
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

/// The payment methods of an account, oldest first.
package struct PaymentMethodsBody: AnswerBody, Codable {
    package var paymentMethods: [PaymentMethodBody]

    private enum CodingKeys: String, CodingKey {
        case paymentMethods = "payment_methods"
    }

    /// Creates a response with the given payment methods.
    package init(paymentMethods: [PaymentMethodBody]) {
        self.paymentMethods = paymentMethods
    }
}
