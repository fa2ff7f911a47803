/// The products that are available in a storefront.
package struct ProductsBody: AnswerBody, DocumentedBody {
    /// A product and its price in the storefront.
    package struct Product: DocumentedBody, Hashable, Identifiable {
        package var id: String
        /// The title, in the language of the request.
        package var title: String
        /// The description, in the language of the request.
        package var description: String
        package var kind: OpenEnum<ProductKind>
        /// The price per unit.
        package var price: MoneyBody

        package enum CodingKeys: String, CodingKey, CaseIterable {
            case id, title, description, kind, price
        }

        package static let schema = JSONSchema.component(
            "Product",
            summary:
                "A product with its price in a storefront, and its texts in the language of the request.",
            members: [
                .required(CodingKeys.id, .text),
                .required(CodingKeys.title, .text),
                .required(CodingKeys.description, .text),
                .required(CodingKeys.kind, .oneOf(ProductKind.allCases)),
                .required(CodingKeys.price, MoneyBody.schema),
            ]
        )

        package init(id: String, title: String, description: String, kind: ProductKind, price: MoneyBody) {
            self.id = id
            self.title = title
            self.description = description
            self.kind = OpenEnum(kind)
            self.price = price
        }
    }

    package var storefront: StorefrontBody
    package var products: [Listed<Product>]
    /// The requested product ids that aren't available in this storefront.
    package var unknownIDs: [String]

    package enum CodingKeys: String, CodingKey, CaseIterable {
        case storefront, products
        case unknownIDs = "unknown_ids"
    }

    package static let schema = JSONSchema.object([
        .required(CodingKeys.storefront, StorefrontBody.schema),
        .required(CodingKeys.products, .array(Product.schema)),
        .required(CodingKeys.unknownIDs, .array(.text)),
    ])

    package init(storefront: StorefrontBody, products: [Product], unknownIDs: [String]) {
        self.storefront = storefront
        self.products = products.map { .readable($0) }
        self.unknownIDs = unknownIDs
    }
}
