package import LatchkeyModel

/// The products that the server sells, with their prices in each storefront.
package struct ProductCatalog: Sendable {
    /// The maximum number of products.
    static let mostProducts = 1000

    /// The storefronts, keyed by region.
    package let storefronts: [Region: Storefront]
    /// The storefront of clients whose region is unknown or not served.
    package let defaultStorefront: Storefront
    /// The language of texts for clients that prefer none of a product's languages.
    package let defaultLanguage: String
    /// The products in the order of the file.
    package let products: [Product]

    private let places: [String: Int]

    /// Creates a catalog from validated parts.
    init(
        storefronts: [Region: Storefront],
        defaultStorefront: Storefront,
        defaultLanguage: String,
        products: [Product]
    ) {
        self.storefronts = storefronts
        self.defaultStorefront = defaultStorefront
        self.defaultLanguage = defaultLanguage
        self.products = products
        places = Dictionary(uniqueKeysWithValues: products.enumerated().map { ($0.element.id, $0.offset) })
    }

    /// Returns the product with an id; `nil` if there is none.
    package subscript(id: String) -> Product? { places[id].map { products[$0] } }

    /// Returns the product with an id if it is sold in a storefront.
    func product(_ id: String, in storefront: Storefront) -> (product: Product, price: Money)? {
        guard let product = self[id], let price = product.prices[storefront.region] else { return nil }
        return (product, price)
    }
}
