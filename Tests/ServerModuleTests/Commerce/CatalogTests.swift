import LatchkeyModel
import LatchkeyServerKit
import LatchkeyWire
import Testing

@testable import LatchkeyCommerce

@Suite struct `Product catalog` {
    private static let product = """
        {id: "coins", kind: "consumable", title: {en: "Coins"}, prices: {AT: 499}}
        """

    private static func catalog(
        _ products: String,
        storefronts: String = "{AT: \"EUR\"}",
        _ more: String = ""
    )
        -> [UInt8]
    {
        Array("{storefronts: \(storefronts), products: [\(products)]\(more)}".utf8)
    }

    @Test func `The catalog contains the text and prices for each product`() throws {
        let catalog = try ProductCatalog(Array(Shop.catalog.utf8), defaultRegion: "US")
        #expect(catalog.products.map(\.id) == ["coins.100", "level-pack", "pro", "vignette"])
        #expect(Set(catalog.storefronts.keys.map(\.code)) == ["AT", "NO", "US"])
        #expect(catalog.defaultStorefront.region.code == "US")
        let coins = try #require(catalog["coins.100"])
        #expect(coins.kind == .consumable)
        #expect(coins.prices.count == 3)
        let norway = try #require(Region("NO"))
        #expect(coins.prices[norway]?.description == "12.00 NOK")
        #expect(coins.texts["de"]?.title == "100 Münzen")
        #expect(coins.texts["de"]?.description == "For the arcade.")
        #expect(catalog["vignette"]?.prices.count == 1)
        #expect(catalog["unknown"] == nil)
    }

    @Test(arguments: [
        ("{", "the catalog is not valid JSON5"),
        ("[]", "the catalog must be an object"),
        ("{products: [],\n products: []}", "line 2: the member products occurs twice"),
        ("{products: []}", "storefronts must be an object"),
        ("{storefronts: {AT: \"EUR\"}}", "products must be an array"),
        ("{storefronts: {AT: \"EUR\"}, products: [], extra: 1}", "unknown member \"extra\""),
        ("{storefronts: {at: \"EUR\"}, products: []}", "storefronts.\"at\": unknown region"),
        ("{storefronts: {AT: \"XXX\"}, products: []}", "storefronts.AT must be the code of a currency"),
        (
            "{storefronts: {AT: \"EUR\", NO: \"NOK\"}, products: []}",
            "commerce.default_region must be set to one of the storefronts: AT, NO"
        ),
        (
            "{storefronts: {AT: \"EUR\"}, products: [], default_language: \"english text\"}",
            "default_language"
        ),
    ])
    func `An invalid catalog file is rejected`(text: String, problem: String) throws {
        let error = try #require(throws: CatalogError.self) { try ProductCatalog(Array(text.utf8)) }
        #expect(error.problems.contains { $0.contains(problem) }, "\(error)")
    }

    @Test(arguments: [
        ("1", "products[0] must be an object"),
        ("{}", "products[0]: id must have"),
        (#"{id: "a b", kind: "consumable"}"#, "products[0]: id must have"),
        (
            #"{id: "coins", kind: "loan", title: {en: "C"}, prices: {AT: 1}}"#,
            "product \"coins\": kind must be"
        ),
        (
            #"{id: "coins", kind: "consumable", prices: {AT: 1}}"#,
            "product \"coins\": title must be an object"
        ),
        (
            #"{id: "coins", kind: "consumable", title: {de: "M"}, prices: {AT: 1}}"#,
            "product \"coins\": title.en is missing"
        ),
        (
            #"{id: "coins", kind: "consumable", title: {en: ""}, prices: {AT: 1}}"#,
            "product \"coins\": title.en must be a text"
        ),
        (
            #"{id: "coins", kind: "consumable", title: {en: "C", "e n": "C"}, prices: {AT: 1}}"#,
            "title.\"e n\" is not a language tag"
        ),
        (
            #"{id: "coins", kind: "consumable", title: {en: "C"}, description: {de: "M"}, prices: {AT: 1}}"#,
            "description.de has no title"
        ),
        (#"{id: "coins", kind: "consumable", title: {en: "C"}}"#, "prices must be an object"),
        (#"{id: "coins", kind: "consumable", title: {en: "C"}, prices: {}}"#, "prices must be an object"),
        (#"{id: "coins", kind: "consumable", title: {en: "C"}, prices: {NO: 1}}"#, "is not in storefronts"),
        (
            #"{id: "coins", kind: "consumable", title: {en: "C"}, prices: {AT: 0}}"#,
            "prices.AT must be a whole number"
        ),
        (#"{id: "coins", kind: "consumable", title: {en: "C"}, prices: {AT: -5}}"#, "prices.AT must be"),
        (#"{id: "coins", kind: "consumable", title: {en: "C"}, prices: {AT: 4.99}}"#, "prices.AT must be"),
        (#"{id: "coins", kind: "consumable", title: {en: "C"}, prices: {AT: "499"}}"#, "prices.AT must be"),
        (
            #"{id: "coins", kind: "consumable", title: {en: "C"}, prices: {AT: 1000000001}}"#,
            "prices.AT must be"
        ),
        (
            #"{id: "coins", kind: "consumable", title: {en: "C"}, prices: {AT: 1}, x: 1}"#,
            "unknown member \"x\""
        ),
        (product + "," + product, "product \"coins\": the id is used twice"),
    ])
    func `The error for an invalid product states the reason`(text: String, problem: String) throws {
        let error = try #require(throws: CatalogError.self) { try ProductCatalog(Self.catalog(text)) }
        #expect(error.problems.contains { $0.contains(problem) }, "\(error)")
    }

    @Test func `All errors are reported at the same time, each with the line of its product`() throws {
        let text = """
            {
              storefronts: {AT: "EUR"},
              products: [
                {id: "one", kind: "loan", title: {en: "One"}, prices: {AT: 1}},
                {id: "two", kind: "consumable", title: {en: "Two"}, prices: {NO: 1}},
              ],
            }
            """
        let error = try #require(throws: CatalogError.self) { try ProductCatalog(Array(text.utf8)) }
        #expect(error.problems.count == 2)
        #expect(error.problems[0].hasPrefix("line 4: product \"one\": kind"))
        #expect(error.problems[1].hasPrefix("line 5: product \"two\": prices.\"NO\""))
    }

    @Test func `A default region without a storefront is rejected`() throws {
        let error = try #require(throws: CatalogError.self) {
            try ProductCatalog(Self.catalog(Self.product), defaultRegion: "NO")
        }
        #expect(
            error.problems == ["commerce.default_region: the catalog has no storefront NO; it has AT"]
        )
    }

    @Test func `The number of products is limited`() throws {
        let products = (0...ProductCatalog.mostProducts).map { number in
            "{id: \"p\(number)\", kind: \"consumable\", title: {en: \"C\"}, prices: {AT: 1}}"
        }
        #expect(throws: CatalogError.self) {
            try ProductCatalog(Self.catalog(products.joined(separator: ",")))
        }
        #expect(throws: Never.self) {
            try ProductCatalog(Self.catalog(products.dropLast().joined(separator: ",")))
        }
    }
}

@Suite struct `Choosing a storefront` {
    @Test(
        arguments: [
            (nil, "US"), ("de-AT", "AT"), ("de-DE, de-AT;q=0.5, nb-NO;q=0.9", "NO"), ("de", "US"),
            ("zh-Hant-NO", "NO"), ("de-at", "AT"), ("en-x-NO", "US"), ("nb-NO;q=0", "US"), ("NO", "US"),
            (";;,,", "US"),
        ] as [(String?, String)]
    )
    func `Before a login, the storefront is guessed from the languages`(
        languages: String?,
        expected: String
    ) throws {
        let catalog = try ProductCatalog(Array(Shop.catalog.utf8), defaultRegion: "US")
        let storefront = catalog.storefront(guessedFrom: languages.map { LanguageRanges($0) })
        #expect(storefront.region.code == expected)
        #expect(storefront.isGuess)
    }

    @Test(
        arguments: [("NO", "NO", false), ("DE", "US", true), (nil, "US", true)] as [(String?, String, Bool)]
    )
    func `An account buys in the storefront of its region, or else in the default one`(
        region: String?,
        expected: String,
        isGuess: Bool
    ) throws {
        let catalog = try ProductCatalog(Array(Shop.catalog.utf8), defaultRegion: "US")
        let storefront = catalog.storefront(of: region.flatMap { Region($0) })
        #expect(storefront.region.code == expected)
        #expect(storefront.isGuess == isGuess)
    }

    @Test(arguments: [
        ("de-AT", "100 Münzen"), ("de", "100 Münzen"), ("fr", "100 coins"), ("fr, de;q=0.1", "100 Münzen"),
        ("en;q=0.5, de;q=0.4", "100 coins"), ("DE", "100 Münzen"), ("*", "100 coins"),
    ])
    func `The language of a product's text doesn't depend on the storefront`(languages: String, title: String)
        throws
    {
        let catalog = try ProductCatalog(Array(Shop.catalog.utf8), defaultRegion: "US")
        let product = try #require(catalog["coins.100"])
        #expect(product.text(for: LanguageRanges(languages), default: "en").title == title)
    }
}
