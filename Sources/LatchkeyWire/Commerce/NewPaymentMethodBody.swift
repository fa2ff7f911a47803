package import LatchkeyModel

/// A request to add a payment method.
package struct NewPaymentMethodBody: Sendable, Codable {
    package var kind: PaymentMethodKind
    /// One of the sandbox card numbers.
    ///
    /// The server stores only the last four digits.
    package var number: Secret
    /// Whether to make this the default payment method.
    ///
    /// The first payment method always becomes the default.
    package var isDefault: Bool?

    private enum CodingKeys: String, CodingKey {
        case kind, number
        case isDefault = "is_default"
    }

    /// Creates a request to add a payment method.
    package init(kind: PaymentMethodKind = .sandboxCard, number: Secret, isDefault: Bool = false) {
        self.kind = kind
        self.number = number
        self.isDefault = isDefault
    }

    /// Decodes a request.
    ///
    /// Unknown members are ignored.
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
package struct PaymentMethodChangeBody: Sendable, Codable {
    /// Must be `true`.
    ///
    /// To change the default, make another payment method the default.
    package var isDefault: Bool

    private enum CodingKeys: String, CodingKey {
        case isDefault = "is_default"
    }

    /// Creates a request to change a payment method.
    package init(isDefault: Bool = true) {
        self.isDefault = isDefault
    }
}
