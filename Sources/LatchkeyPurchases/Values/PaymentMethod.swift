public import LatchkeyModel
import LatchkeyWire

/// A payment method of the account.
///
/// Payment methods are never stored on this device.
public struct PaymentMethod: Hashable, Sendable, Identifiable {
    /// The payment method's identifier.
    public var id: String

    /// The kind of payment method, such as `sandbox_card`.
    public var kind: String

    /// The card's brand, such as `sandbox`.
    public var brand: String

    /// The last four digits of the card number.
    public var lastFour: String

    /// Whether this payment method is used for orders that do not specify one.
    public var isDefault: Bool

    /// The time when the payment method was added, or `nil` if the server did not send it.
    public var createdAt: Timestamp?

    /// Creates a payment method, for tests and previews.
    public init(
        id: String,
        kind: String = "sandbox_card",
        brand: String = "sandbox",
        lastFour: String,
        isDefault: Bool,
        createdAt: Timestamp? = nil
    ) {
        self.id = id
        self.kind = kind
        self.brand = brand
        self.lastFour = lastFour
        self.isDefault = isDefault
        self.createdAt = createdAt
    }
}

extension PaymentMethod {
    /// Decodes a payment method, or returns `nil` if a required member is missing or has another type.
    init?(decoding json: JSONValue?) {
        guard let id = json?["id"]?.text, let kind = json?["kind"]?.text, let brand = json?["brand"]?.text,
            let lastFour = json?["last_four"]?.text, let isDefault = json?["is_default"]?.bool
        else { return nil }
        self.init(
            id: id,
            kind: kind,
            brand: brand,
            lastFour: lastFour,
            isDefault: isDefault,
            createdAt: json?["created_at"]?.text.flatMap { Timestamp(rfc3339: $0) }
        )
    }
}
