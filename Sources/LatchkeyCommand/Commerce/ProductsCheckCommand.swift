import LatchkeyCommerce
import LatchkeyModel

/// Validates a product catalog.
struct ProductsCheckCommand: Subcommand {
    let syntax = Syntax(
        name: "products check",
        summary: "check the product catalog without starting the server",
        details: [
            "Reads the catalog file set in commerce.catalog and reports every error in it, with the line and the product."
        ],
        options: ConfigurationOptions.locations,
        takesSettings: true,
        examples: [
            ("products check --config latchkey.json5", "Check before a restart"),
            (
                "products check --commerce-catalog products.json5 --commerce-default-region AT",
                "Check one file"
            ),
        ]
    )

    /// Prints the number of products and the storefronts of a valid catalog.
    ///
    /// - Throws: ``CommandFailure`` with the code `usage` if no catalog is configured or the catalog contains
    ///   errors.
    func run(_ arguments: Arguments, on console: Console) async throws(CommandFailure) {
        let (catalog, path) = try CatalogOperand.catalog(for: arguments, console: console)
        let regions = catalog.storefronts.keys.map(\.code).sorted().joined(separator: ", ")
        console.write("\(path): \(catalog.products.count) products; storefronts: \(regions).")
    }
}
