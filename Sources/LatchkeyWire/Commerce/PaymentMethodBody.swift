/// A payment method of an account, without the provider's token.
package struct PaymentMethodBody: AnswerBody, DocumentedBody, Hashable {
    /// The status is 201 if the payment method was added.
    package static let statuses: Set<Int> = [200, 201]

    package var id: String
    package var kind: OpenEnum<PaymentMethodKind>
    /// The card brand, such as `sandbox`.
    package var brand: String
    /// The last four digits of the card number.
    package var lastFour: String
    /// Whether this payment method is used for orders that don't specify one.
    package var isDefault: Bool
    /// When the payment method was added, in RFC 3339 format.
    package var createdAt: String

    package enum CodingKeys: String, CodingKey, CaseIterable {
        case id, kind, brand
        case lastFour = "last_four"
        case isDefault = "is_default"
        case createdAt = "created_at"
    }

    package static let schema = JSONSchema.component(
        "PaymentMethod",
        summary: "A payment method of an account.",
        members: [
            .required(CodingKeys.id, .uuid),
            .required(CodingKeys.kind, .oneOf(PaymentMethodKind.allCases)),
            .required(CodingKeys.brand, .text),
            .required(CodingKeys.lastFour, .matching("^[0-9]{4}$")),
            .required(CodingKeys.isDefault, .boolean),
            .required(CodingKeys.createdAt, .time),
        ]
    )

    package init(
        id: String,
        kind: PaymentMethodKind,
        brand: String,
        lastFour: String,
        isDefault: Bool,
        createdAt: String
    ) {
        self.id = id
        self.kind = OpenEnum(kind)
        self.brand = brand
        self.lastFour = lastFour
        self.isDefault = isDefault
        self.createdAt = createdAt
    }
}

/// The payment methods of an account, oldest first.
package struct PaymentMethodsBody: AnswerBody, DocumentedBody {
    package var paymentMethods: [PaymentMethodBody]

    package enum CodingKeys: String, CodingKey, CaseIterable {
        case paymentMethods = "payment_methods"
    }

    package static let schema = JSONSchema.object([
        .required(CodingKeys.paymentMethods, .array(PaymentMethodBody.schema))
    ])

    package init(paymentMethods: [PaymentMethodBody]) {
        self.paymentMethods = paymentMethods
    }
}
