package import LatchkeyModel

/// A request to add a payment method.
package struct NewPaymentMethodBody: DocumentedBody {
    package var kind: PaymentMethodKind
    /// One of the sandbox card numbers, of which the server stores only the last four digits.
    package var number: Secret
    /// Whether to make this the default payment method, as the first one always becomes.
    package var isDefault: Bool?

    package enum CodingKeys: String, CodingKey, CaseIterable {
        case kind, number
        case isDefault = "is_default"
    }

    package static let schema = JSONSchema.object(
        [
            .required(CodingKeys.kind, .oneOf(PaymentMethodKind.allCases)),
            .required(CodingKeys.number, .text),
            .optional(CodingKeys.isDefault, .boolean),
        ],
        isOpen: true
    )

    package init(kind: PaymentMethodKind = .sandboxCard, number: Secret, isDefault: Bool? = nil) {
        self.kind = kind
        self.number = number
        self.isDefault = isDefault
    }

    package init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        kind = try members.decode(PaymentMethodKind.self, forKey: .kind)
        number = Secret(try members.decode(String.self, forKey: .number))
        isDefault = try members.decodeIfPresent(Bool.self, forKey: .isDefault)
    }

    /// Encodes the request, including the card number.
    package func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: CodingKeys.self)
        try members.encode(kind, forKey: .kind)
        try members.encode(number.exposed, forKey: .number)
        try members.encodeIfPresent(isDefault, forKey: .isDefault)
    }
}

/// A request to change a payment method.
package struct PaymentMethodChangeBody: DocumentedBody {
    /// Must be `true`, because only another payment method can replace the default.
    package var isDefault: Bool

    package enum CodingKeys: String, CodingKey, CaseIterable {
        case isDefault = "is_default"
    }

    package static let schema = JSONSchema.object([.required(CodingKeys.isDefault, .boolean)], isOpen: true)

    package init(isDefault: Bool = true) {
        self.isDefault = isDefault
    }
}
