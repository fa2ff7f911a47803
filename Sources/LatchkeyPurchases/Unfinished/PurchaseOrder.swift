package import LatchkeyModel
import LatchkeyWire

/// An order to buy a product.
///
/// Orders are stored before they are sent, so that they can be sent again with the same idempotency key.
package struct PurchaseOrder: Hashable, Sendable {
    /// The idempotency key, which stays the same when the order is sent again.
    package let key: String
    /// The identifier of the product to buy.
    package let productID: String
    /// The number of units to buy.
    package let quantity: Int
    /// The unit price that was shown to the user, or `nil` to accept any price.
    package let price: Money?
    /// The payment method's identifier, or `nil` for the default payment method.
    package let paymentMethodID: String?
    /// The time when the user placed the order.
    package let createdAt: Timestamp

    /// Creates an order.
    package init(
        key: String,
        productID: String,
        quantity: Int,
        price: Money?,
        paymentMethodID: String?,
        createdAt: Timestamp
    ) {
        self.key = key
        self.productID = productID
        self.quantity = quantity
        self.price = price
        self.paymentMethodID = paymentMethodID
        self.createdAt = createdAt
    }

    /// The request body, which is the same each time that the order is sent.
    var body: OrderBody {
        OrderBody(
            productID: productID,
            quantity: quantity,
            price: price.map { MoneyBody($0) },
            paymentMethodID: paymentMethodID
        )
    }
}

/// This device stores an order as its request body with two more members.
extension PurchaseOrder: Codable {
    private enum CodingKeys: String, CodingKey {
        case key
        case createdAt = "created_at"
    }

    package init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        let body = try OrderBody(from: decoder)
        let createdAt = Timestamp(rfc3339: try members.decode(String.self, forKey: .createdAt))
        let price = body.price?.money
        // An order without its price would be a different order.
        guard let createdAt, let quantity = body.quantity, (price == nil) == (body.price == nil) else {
            throw DecodingError.unreadable(at: decoder)
        }
        self.init(
            key: try members.decode(String.self, forKey: .key),
            productID: body.productID,
            quantity: quantity,
            price: price,
            paymentMethodID: body.paymentMethodID,
            createdAt: createdAt
        )
    }

    package func encode(to encoder: any Encoder) throws {
        try body.encode(to: encoder)
        var members = encoder.container(keyedBy: CodingKeys.self)
        try members.encode(key, forKey: .key)
        try members.encode(createdAt.description, forKey: .createdAt)
    }
}
