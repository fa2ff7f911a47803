/// An order for a product; the request also has the header field ``idempotencyField``.
package struct OrderBody: Sendable, Hashable, Codable {
    /// The header field with the idempotency key: 1 to 128 visible ASCII characters.
    package static let idempotencyField = "Idempotency-Key"

    package var productID: String
    /// The number of units; 1 if it is `nil`.
    package var quantity: Int?
    /// The price of one unit that the app has shown; `nil` accepts the current price.
    package var price: MoneyBody?
    /// The payment method; `nil` chooses the default.
    package var paymentMethodID: String?

    private enum CodingKeys: String, CodingKey {
        case quantity, price
        case productID = "product_id"
        case paymentMethodID = "payment_method_id"
    }

    /// Creates the body.
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

/// The answer to the confirmation of a deferred transaction.
package struct ConfirmationBody: Sendable, Codable {
    /// Whether the payment is approved or denied.
    package var approve: Bool

    /// Creates the body.
    package init(approve: Bool) {
        self.approve = approve
    }
}
