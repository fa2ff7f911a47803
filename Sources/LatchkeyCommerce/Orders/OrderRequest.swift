import LatchkeyModel
import LatchkeyServerKit
import LatchkeyWire

/// An order whose values have been parsed and validated.
///
/// The order hasn't been checked against the catalog and the account yet.
struct OrderRequest: Hashable, Sendable {
    /// The idempotency key.
    ///
    /// The key is unique within the account.
    let key: String
    let productID: String
    let quantity: Int
    /// The unit price that the app displayed.
    ///
    /// If this is `nil`, the current price is accepted.
    let shownPrice: Money?
    /// The payment method, or `nil` to use the default one.
    let paymentMethod: Identifier?
    /// A hash of the order.
    ///
    /// The hash is used to detect a different order with the same key.
    let fingerprint: [UInt8]

    /// Parses an order.
    ///
    /// - Parameters:
    ///   - body: The decoded request body.
    ///   - key: The value of the `Idempotency-Key` header field, or `nil` if it is missing.
    /// - Returns: The order.
    /// - Throws: A ``ServerError`` with status 400 if a value is invalid.
    static func parse(_ body: OrderBody, key: String?) throws(ServerError) -> OrderRequest {
        guard let key, (1...128).contains(key.utf8.count), key.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
        else {
            throw .malformed(
                "The header field \(OrderBody.idempotencyField) must have 1 to 128 visible ASCII characters."
            )
        }
        let quantity = body.quantity ?? 1
        guard (1...OrderBody.mostUnits).contains(quantity) else {
            throw .malformed("The quantity must be from 1 to \(OrderBody.mostUnits).")
        }
        var shownPrice: Money?
        if let price = body.price {
            guard let money = price.money else {
                throw .malformed("The price must have an amount in minor units and a currency such as EUR.")
            }
            shownPrice = money
        }
        var paymentMethod: Identifier?
        if let id = body.paymentMethodID {
            guard let parsed = Identifier(id) else {
                throw .malformed("The member payment_method_id must be a UUID.")
            }
            paymentMethod = parsed
        }
        return OrderRequest(
            key: key,
            productID: body.productID,
            quantity: quantity,
            shownPrice: shownPrice,
            paymentMethod: paymentMethod,
            fingerprint: fingerprint(body, quantity: quantity)
        )
    }

    /// Returns a hash of all members of an order.
    ///
    /// An order without a quantity has the same hash as an order with the default quantity.
    private static func fingerprint(_ body: OrderBody, quantity: Int) -> [UInt8] {
        var writer = JSONWriter(reserving: 256)
        writer.array { writer in
            writer.string(body.productID)
            writer.integer(Int64(quantity))
            if let price = body.price {
                writer.integer(price.amount)
                writer.string(price.currency)
            } else {
                writer.null()
            }
            if let method = body.paymentMethodID { writer.string(method.lowercased()) } else { writer.null() }
        }
        return SHA256Hash.hash(writer.bytes)
    }
}
