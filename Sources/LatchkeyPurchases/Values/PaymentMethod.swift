import LatchkeyModel
import LatchkeyWire

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

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
    public var createdAt: Date?

    /// Creates a payment method, for tests and previews.
    public init(
        id: String,
        kind: String = "sandbox_card",
        brand: String = "sandbox",
        lastFour: String,
        isDefault: Bool,
        createdAt: Date? = nil
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
    init(_ body: PaymentMethodBody) {
        self.init(
            id: body.id,
            kind: body.kind.rawValue,
            brand: body.brand,
            lastFour: body.lastFour,
            isDefault: body.isDefault,
            createdAt: Timestamp(rfc3339: body.createdAt)?.date
        )
    }
}
