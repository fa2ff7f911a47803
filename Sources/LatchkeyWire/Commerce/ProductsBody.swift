/// The products that are available in a storefront.
package struct ProductsBody: AnswerBody, Codable {
    /// A product and its price in the storefront.
    package struct Product: Sendable, Hashable, Codable {
        package var id: String
        /// The title, in the language of the request.
        package var title: String
        /// The description, in the language of the request.
        package var description: String
        package var kind: ProductKind
        /// The price per unit.
        package var price: MoneyBody

        /// Creates a product with the given values.
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
    /// The requested product IDs that aren't available in this storefront.
    package var unknownIDs: [String]

    private enum CodingKeys: String, CodingKey {
        case storefront, products
        case unknownIDs = "unknown_ids"
    }

    /// Creates a response with the given products.
    package init(storefront: StorefrontBody, products: [Product], unknownIDs: [String]) {
        self.storefront = storefront
        self.products = products
        self.unknownIDs = unknownIDs
    }
}
