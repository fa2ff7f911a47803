/// The products of a storefront.
package struct ProductsBody: Sendable, Codable {
    /// A product with its price in the storefront.
    package struct Product: Sendable, Hashable, Codable {
        package var id: String
        /// The title in the language of the request.
        package var title: String
        /// The description in the language of the request.
        package var description: String
        package var kind: ProductKind
        /// The price of one unit.
        package var price: MoneyBody

        /// Creates a product.
        package init(id: String, title: String, description: String, kind: ProductKind, price: MoneyBody) {
            self.id = id
            self.title = title
            self.description = description
            self.kind = kind
            self.price = price
        }
    }

    package var storefront: StorefrontBody
    package var products: [Product]
    /// The requested ids of products that are not sold in the storefront.
    package var unknownIDs: [String]

    private enum CodingKeys: String, CodingKey {
        case storefront, products
        case unknownIDs = "unknown_ids"
    }

    /// Creates the body.
    package init(storefront: StorefrontBody, products: [Product], unknownIDs: [String]) {
        self.storefront = storefront
        self.products = products
        self.unknownIDs = unknownIDs
    }
}
