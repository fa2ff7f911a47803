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

    /// The request body.
    ///
    /// If the order is sent more than once, each request has the same body.
    var requestBody: JSONValue {
        var members: [String: JSONValue] = [
            "product_id": .string(productID), "quantity": .integer(Int64(quantity)),
        ]
        members["price"] = price?.json
        members["payment_method_id"] = paymentMethodID.map { .string($0) }
        return .object(members)
    }

    /// The order as JSON, which can be decoded with ``init(decoding:)``.
    var json: JSONValue {
        var members = requestBody.object ?? [:]
        members["key"] = .string(key)
        members["created_at"] = .string(createdAt.description)
        return .object(members)
    }

    /// Decodes an order, or returns `nil` if a required member is missing or has another type.
    init?(decoding json: JSONValue) {
        // An order without its price or payment method would be a different order.
        guard let key = json["key"]?.text, let product = json["product_id"]?.text,
            let quantity = json["quantity"]?.integer,
            let createdAt = json["created_at"]?.text.flatMap({ Timestamp(rfc3339: $0) }),
            json["price"] == nil || Money(decoding: json["price"]) != nil,
            json["payment_method_id"] == nil || json["payment_method_id"]?.text != nil
        else { return nil }
        self.init(
            key: key,
            productID: product,
            quantity: quantity,
            price: Money(decoding: json["price"]),
            paymentMethodID: json["payment_method_id"]?.text,
            createdAt: createdAt
        )
    }
}
