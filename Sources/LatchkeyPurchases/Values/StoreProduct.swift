public import LatchkeyModel
import LatchkeyWire

/// A product and its price in a storefront.
public struct StoreProduct: Hashable, Sendable, Identifiable {
    /// A kind of product.
    public struct Kind: RawRepresentable, Hashable, Sendable {
        /// The kind's name in the API.
        public let rawValue: String

        /// Creates a kind from its name.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// A product that is used up and can then be bought again.
        public static let consumable = Kind(rawValue: "consumable")
        /// A product that can only be bought once and can be restored.
        public static let nonConsumable = Kind(rawValue: "non_consumable")
    }

    /// The product's identifier.
    public var id: String

    /// The title in the user's language.
    public var title: String

    /// The description in the user's language.
    ///
    /// The description may be empty.
    public var description: String

    /// Whether the product is consumable or non-consumable.
    public var kind: Kind

    /// The price of one unit.
    public var price: Money

    /// Creates a product, for tests and previews.
    public init(id: String, title: String, description: String = "", kind: Kind, price: Money) {
        self.id = id
        self.title = title
        self.description = description
        self.kind = kind
        self.price = price
    }
}

extension StoreProduct {
    /// Creates a product from the server's response, or returns `nil` if its currency is unknown.
    init?(_ body: ProductsBody.Product) {
        guard let price = body.price.money else { return nil }
        self.init(
            id: body.id,
            title: body.title,
            description: body.description,
            kind: Kind(rawValue: body.kind.rawValue),
            price: price
        )
    }
}

/// The products that are sold in a storefront.
public struct ProductList: Hashable, Sendable {
    /// The storefront that the prices apply to.
    public var storefront: Storefront

    /// The products, in catalog order.
    public var products: [StoreProduct]

    /// The requested identifiers that are not sold in the storefront, and those of products that this version can't
    /// read.
    public var unknownIDs: [String]

    /// Creates a product list, for tests and previews.
    public init(storefront: Storefront, products: [StoreProduct], unknownIDs: [String] = []) {
        self.storefront = storefront
        self.products = products
        self.unknownIDs = unknownIDs
    }
}
