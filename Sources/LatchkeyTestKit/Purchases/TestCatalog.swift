import LatchkeyCommerce
import LatchkeyServer
import LatchkeyWire

/// The products that a test server sells, and their prices in each storefront.
///
/// ```swift
/// let catalog = TestCatalog(
///     storefronts: ["AT": "EUR", "NO": "NOK"],
///     products: [
///         TestCatalog.Product("coins.100", .consumable, title: "100 coins", prices: ["AT": 99, "NO": 1200])
///     ]
/// )
/// let server = try await TestServer(catalog: catalog)
/// ```
///
/// All payments use the sandbox, and the number of the card determines the outcome; see ``TestCard``.
public struct TestCatalog: Sendable {
    /// A product.
    public struct Product: Sendable {
        /// Whether a product can be bought repeatedly.
        public enum Kind: String, Sendable {
            /// The product can be bought any number of times.
            case consumable
            /// The product is bought once, and can be restored.
            case nonConsumable = "non_consumable"
        }

        fileprivate let json: JSONValue

        /// Creates a product.
        ///
        /// - Parameters:
        ///   - id: The product's identifier.
        ///   - kind: Whether the product can be bought repeatedly.
        ///   - title: The title in English.
        ///   - description: The description in English, or an empty string if there is none.
        ///   - prices: The price in each storefront, in the currency's minor unit, such as cents. The product
        ///     isn't sold in the other storefronts.
        public init(
            _ id: String,
            _ kind: Kind,
            title: String,
            description: String = "",
            prices: [String: Int]
        ) {
            var members: [String: JSONValue] = [
                "id": .string(id), "kind": .string(kind.rawValue), "title": .object(["en": .string(title)]),
                "prices": .object(prices.mapValues { .integer(Int64($0)) }),
            ]
            if !description.isEmpty { members["description"] = .object(["en": .string(description)]) }
            json = .object(members)
        }
    }

    private enum Source {
        case file(String)
        case value(JSONValue)
    }

    private let source: Source
    private let defaultRegion: String?

    /// Creates a catalog.
    ///
    /// - Parameters:
    ///   - storefronts: The currency (ISO 4217) of each storefront, by region (ISO 3166-1), such as
    ///     `["AT": "EUR"]`.
    ///   - defaultRegion: The storefront for users whose region is unknown or has no storefront. It can be
    ///     omitted if there is only one storefront.
    ///   - products: The products, in the order in which apps see them.
    public init(storefronts: [String: String], defaultRegion: String? = nil, products: [Product]) {
        source = .value(
            .object([
                "storefronts": .object(storefronts.mapValues { .string($0) }),
                "products": .array(products.map(\.json)),
            ])
        )
        self.defaultRegion = defaultRegion
    }

    /// Creates a catalog from a file in the format of `commerce.catalog`.
    ///
    /// - Parameters:
    ///   - file: The path of the JSON5 file.
    ///   - defaultRegion: The storefront for users whose region is unknown or has no storefront. It can be
    ///     omitted if there is only one storefront.
    public init(file: String, defaultRegion: String? = nil) {
        source = .file(file)
        self.defaultRegion = defaultRegion
    }

    /// Returns the server's catalog, or throws an error that describes all problems in the catalog.
    func read() throws -> ProductCatalog {
        switch source {
        case .file(let path): try ProductCatalog(path: path, defaultRegion: defaultRegion)
        case .value(let value): try ProductCatalog(JSONCoding.encode(value), defaultRegion: defaultRegion)
        }
    }
}
