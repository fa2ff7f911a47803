package import LatchkeyModel

/// A payment: the request to buy a product.
public struct OnsidePayment: Hashable, Sendable {
    /// The identifier of the product.
    public let productIdentifier: String

    /// The number of pieces; 1 by default.
    public var quantity = 1

    /// The price of one piece that the user has seen; `nil` accepts the current price.
    package var price: Money?

    /// Creates a payment for a product at the price that it has.
    ///
    /// If the price has changed meanwhile, the payment fails with ``OnsidePaymentQueueError/priceChanged``.
    public init(product: OnsideProduct) {
        productIdentifier = product.productIdentifier
        price = product.storeProduct.price
    }

    /// Creates a payment for a product at its current price.
    public init(productIdentifier: String) {
        self.productIdentifier = productIdentifier
    }
}
