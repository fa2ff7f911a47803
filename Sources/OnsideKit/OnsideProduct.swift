import LatchkeyPurchases

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A product with its price at a storefront.
public struct OnsideProduct: Hashable, Sendable {
    /// The identifier of the product.
    public let productIdentifier: String

    /// The title in the user's language.
    public let localizedTitle: String

    /// The description in the user's language; may be empty.
    public let localizedDescription: String

    /// The price of one piece in the currency's main unit.
    public let price: Decimal

    /// The currency of the price (ISO 4217).
    public let currencyCode: String

    /// The locale for formatting the price, with the region of the storefront and its currency.
    public let priceLocale: Locale

    /// The price with the currency's code, such as `4.99 EUR`.
    public let priceDescription: String

    /// The product of the purchase API.
    package let storeProduct: StoreProduct

    /// Creates a product.
    init(_ product: StoreProduct, storefront: Storefront, language: String) {
        productIdentifier = product.id
        localizedTitle = product.title
        localizedDescription = product.description
        price = product.price.decimal
        currencyCode = product.price.currency.code
        priceLocale = Locale(
            identifier: "\(language)_\(storefront.countryCode)@currency=\(product.price.currency.code)"
        )
        priceDescription = product.price.description
        storeProduct = product
    }
}
