/// An order for a product.
///
/// The request must also contain the header ``idempotencyField``.
package struct OrderBody: Sendable, Hashable, Codable {
    /// The name of the header that contains the idempotency key.
    ///
    /// The key consists of 1 to 128 visible ASCII characters.
    package static let idempotencyField = "Idempotency-Key"

    package var productID: String
    /// The number of units, or `nil` to order a single unit.
    package var quantity: Int?
    /// The price per unit that the app showed to the user.
    ///
    /// If `nil`, the current price is accepted.
    package var price: MoneyBody?
    /// The ID of the payment method to use, or `nil` to use the default.
    package var paymentMethodID: String?

    private enum CodingKeys: String, CodingKey {
        case quantity, price
        case productID = "product_id"
        case paymentMethodID = "payment_method_id"
    }

    /// Creates an order.
    package init(
        productID: String,
        quantity: Int? = nil,
        price: MoneyBody? = nil,
        paymentMethodID: String? = nil
    ) {
        self.productID = productID
        self.quantity = quantity
        self.price = price
        self.paymentMethodID = paymentMethodID
    }
}

/// A request to confirm or deny a deferred transaction.
package struct ConfirmationBody: Sendable, Codable {
    /// Whether the payment is approved.
    package var approve: Bool

    /// Creates a request to confirm or deny a transaction.
    package init(approve: Bool) {
        self.approve = approve
    }
}
