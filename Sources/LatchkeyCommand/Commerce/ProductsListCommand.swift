import LatchkeyCommerce
import LatchkeyModel
import LatchkeyWire

/// Lists the products in the catalog.
struct ProductsListCommand: Subcommand {
    let syntax = Syntax(
        name: "products list",
        summary: "list the products in the catalog with their prices, one per line",
        details: ["Reads the catalog file set in commerce.catalog, even if no server is running."],
        options: [Option("json", help: "Print JSON."), CatalogOperand.region]
            + ConfigurationOptions.locations,
        takesSettings: true,
        examples: [
            ("products list --config latchkey.json5", "All products with their prices in all storefronts"),
            ("products list --region AT --json", "The products of one storefront, as JSON lines"),
        ]
    )

    /// Prints the products in catalog order.
    ///
    /// - Throws: ``CommandFailure`` with the code `usage` if no catalog is configured, the catalog contains
    ///   errors, or it doesn't have a storefront for the region.
    func run(_ arguments: Arguments, on console: Console) async throws(CommandFailure) {
        let (catalog, _) = try CatalogOperand.catalog(for: arguments, console: console)
        var region: Region?
        if let code = arguments["region"] {
            guard let known = Region(code), catalog.storefronts[known] != nil else {
                let regions = catalog.storefronts.keys.map(\.code).sorted().joined(separator: ", ")
                throw CommandFailure(
                    .usage,
                    message: "the catalog has no storefront '\(code)'; it has \(regions)"
                )
            }
            region = known
        }
        for product in catalog.products {
            let prices = product.prices.filter { region == nil || $0.key == region }
                .sorted { $0.key.code < $1.key.code }
            guard !prices.isEmpty else { continue }
            let title = product.texts[catalog.defaultLanguage]?.title ?? ""
            let value = JSONValue.object([
                "id": .string(product.id),
                "kind": .string(product.kind.rawValue),
                "title": .string(title),
                "prices": .object(
                    Dictionary(
                        uniqueKeysWithValues: prices.map { region, price in
                            (
                                region.code,
                                .object([
                                    "amount": .integer(price.amount),
                                    "currency": .string(price.currency.code),
                                ])
                            )
                        }
                    )
                ),
            ])
            console.write(value, asJSON: arguments.has("json")) { _ in
                let texts = prices.map { "\($0.key.code) \($0.value)" }.joined(separator: ", ")
                return [[product.id, product.kind.rawValue, title, texts].joined(separator: "  ")]
            }
        }
    }
}
