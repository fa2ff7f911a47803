import LatchkeyPurchases

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A product and its price in a storefront.
public struct OnsideProduct: Hashable, Sendable {
    /// The product's identifier.
    public let productIdentifier: String

    /// The title in the user's language.
    public let localizedTitle: String

    /// The description in the user's language.
    ///
    /// The description may be empty.
    public let localizedDescription: String

    /// The price of one unit, in the currency's main unit such as euros.
    public let price: Decimal

    /// The currency of the price (ISO 4217).
    public let currencyCode: String

    /// A locale for formatting the price.
    ///
    /// The locale uses the storefront's region and currency.
    public let priceLocale: Locale

    /// The price with the currency code, such as `4.99 EUR`.
    public let priceDescription: String

    /// The underlying product from the purchases API.
    package let storeProduct: StoreProduct

    /// Creates a product from the one that the server returned.
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
