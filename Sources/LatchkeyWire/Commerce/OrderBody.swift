/// An order for a product, which is sent together with the header field ``idempotencyField``.
package struct OrderBody: DocumentedBody, Hashable {
    /// The name of the header field with the idempotency key, which has 1 to 128 visible ASCII characters.
    package static let idempotencyField = "Idempotency-Key"

    /// The maximum number of units in one order.
    package static let mostUnits = 10

    package var productID: String
    /// The number of units, or `nil` to order a single unit.
    package var quantity: Int?
    /// The price per unit that the app showed to the user, or `nil` to accept the current price.
    package var price: MoneyBody?
    /// The id of the payment method to use, or `nil` to use the default.
    package var paymentMethodID: String?

    package enum CodingKeys: String, CodingKey, CaseIterable {
        case quantity, price
        case productID = "product_id"
        case paymentMethodID = "payment_method_id"
    }

    package static let schema = JSONSchema.object(
        [
            .required(CodingKeys.productID, .text),
            .optional(CodingKeys.quantity, .integer(minimum: 1, maximum: Int64(mostUnits))),
            .optional(CodingKeys.price, MoneyBody.schema),
            .optional(CodingKeys.paymentMethodID, .uuid),
        ],
        isOpen: true
    )

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
package struct ConfirmationBody: DocumentedBody {
    /// Whether the payment is approved.
    package var approve: Bool

    package enum CodingKeys: String, CodingKey, CaseIterable {
        case approve
    }

    package static let schema = JSONSchema.object([.required(CodingKeys.approve, .boolean)], isOpen: true)

    package init(approve: Bool) {
        self.approve = approve
    }
}
