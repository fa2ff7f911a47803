package import LatchkeyModel

/// A request to buy a product.
public struct OnsidePayment: Hashable, Sendable {
    /// The product's identifier.
    public let productIdentifier: String

    /// The number of units.
    ///
    /// The default is 1.
    public var quantity = 1

    /// The unit price that was shown to the user, or `nil` to accept the current price.
    package var price: Money?

    /// Creates a payment for a product at the price that the product had when it was loaded.
    ///
    /// If the price has changed since then, the payment fails with ``OnsidePaymentQueueError/priceChanged``.
    public init(product: OnsideProduct) {
        productIdentifier = product.productIdentifier
        price = product.storeProduct.price
    }

    /// Creates a payment that buys a product at its current price.
    public init(productIdentifier: String) {
        self.productIdentifier = productIdentifier
    }
}
