package import LatchkeyModel

/// The products that the server sells and their prices in each storefront.
package struct ProductCatalog: Sendable {
    /// The maximum number of products.
    static let mostProducts = 1000

    /// The storefronts.
    ///
    /// The dictionary is keyed by the storefronts' regions.
    package let storefronts: [Region: Storefront]
    /// The storefront for clients whose region is unknown or has no storefront.
    package let defaultStorefront: Storefront
    /// The language that is used if a product isn't available in any of the client's preferred languages.
    package let defaultLanguage: String
    /// The products, in the order of the file.
    package let products: [Product]

    private let places: [String: Int]

    /// Creates a catalog from values that have already been validated.
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

    /// Returns the product with the given id, or `nil` if it doesn't exist.
    package subscript(id: String) -> Product? { places[id].map { products[$0] } }

    /// Returns the product with the given id and its price, or `nil` if it isn't sold in the storefront.
    func product(_ id: String, in storefront: Storefront) -> (product: Product, price: Money)? {
        guard let product = self[id], let price = product.prices[storefront.region] else { return nil }
        return (product, price)
    }
}
