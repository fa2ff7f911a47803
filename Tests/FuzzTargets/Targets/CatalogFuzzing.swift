import LatchkeyCommerce
import LatchkeyModel

extension FuzzTarget {
    /// Fuzzes the parser for an operator's product catalog.
    static let catalog = FuzzTarget(
        name: "catalog",
        summary: "An operator's catalog of products: a JSON5 file.",
        words: [
            "storefronts:", "products:", "default_language:", "id:", "kind:", "title:", "description:",
            "prices:",
            "\"consumable\"", "\"non_consumable\"", "AT", "\"EUR\"", "NO", "\"NOK\"", "en", "//", "/*", "*/",
            "'",
        ]
    ) { bytes in
        for region in [nil, "AT"] {
            let catalog: ProductCatalog
            do throws(CatalogError) {
                catalog = try ProductCatalog(bytes, defaultRegion: region)
            } catch {
                try expect(!error.problems.isEmpty, "a rejection has a reason")
                try expect(error.problems.allSatisfy { !$0.isEmpty }, "each problem has a message")
                continue
            }
            let currencies = catalog.storefronts.mapValues(\.currency)
            try expect(!currencies.isEmpty, "a catalog has a storefront")
            try expect(
                currencies[catalog.defaultStorefront.region] != nil,
                "the default storefront is one of them"
            )
            for product in catalog.products {
                try expect(catalog[product.id] == product, "a product is found by its id")
                try expect(
                    product.texts[catalog.defaultLanguage] != nil,
                    "a product has a text in the default language"
                )
                try expect(!product.prices.isEmpty, "a product has a price")
                for (region, price) in product.prices {
                    try expect(
                        price.currency == currencies[region],
                        "a price has the currency of its storefront"
                    )
                    try expect(price.multiplied(by: 10) != nil, "the highest quantity has a price")
                }
            }
        }
    }
}
