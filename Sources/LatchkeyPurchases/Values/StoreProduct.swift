public import LatchkeyModel
import LatchkeyWire

/// A product with its price at a storefront.
public struct StoreProduct: Hashable, Sendable, Identifiable {
    /// A kind of product.
    public struct Kind: RawRepresentable, Hashable, Sendable {
        /// The name of the kind.
        public let rawValue: String

        /// Creates a kind with a name.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// A product that is used up and can be bought again.
        public static let consumable = Kind(rawValue: "consumable")
        /// A product that is bought once and can be restored.
        public static let nonConsumable = Kind(rawValue: "non_consumable")
    }

    /// The identifier of the product.
    public var id: String

    /// The title in the user's language.
    public var title: String

    /// The description in the user's language; may be empty.
    public var description: String

    /// The kind of product.
    public var kind: Kind

    /// The price of one piece.
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
    /// Decodes a product; `nil` if the id or the price is missing.
    init?(decoding json: JSONValue?) {
        guard let id = json?["id"]?.text, let price = Money(decoding: json?["price"]) else { return nil }
        self.init(
            id: id,
            title: json?["title"]?.text ?? id,
            description: json?["description"]?.text ?? "",
            kind: Kind(rawValue: json?["kind"]?.text ?? ""),
            price: price
        )
    }
}

/// The products of a storefront.
public struct ProductList: Hashable, Sendable {
    /// The storefront that the prices are for.
    public var storefront: Storefront

    /// The products, in the order of the catalogue.
    public var products: [StoreProduct]

    /// The requested identifiers of products that are not sold at the storefront.
    public var unknownIDs: [String]

    /// Creates a list, for tests and previews.
    public init(storefront: Storefront, products: [StoreProduct], unknownIDs: [String] = []) {
        self.storefront = storefront
        self.products = products
        self.unknownIDs = unknownIDs
    }
}
