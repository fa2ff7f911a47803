import LatchkeyCommerce
import LatchkeyModel

/// The command that validates a catalog.
struct ProductsCheckCommand: Subcommand {
    let syntax = Syntax(
        name: "products check",
        summary: "check the catalog of products without starting the server",
        details: [
            "Reads the file in commerce.catalog and reports all of its errors, each with the line and the product."
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

    /// Prints the numbers of products and storefronts of a valid catalog.
    ///
    /// - Throws: ``CommandFailure`` of the kind `usage` if there is no catalog or it has errors.
    func run(_ arguments: Arguments, on console: Console) async throws(CommandFailure) {
        let (catalog, path) = try CatalogOperand.catalog(for: arguments, console: console)
        let regions = catalog.storefronts.keys.map(\.code).sorted().joined(separator: ", ")
        console.write("\(path): \(catalog.products.count) products; storefronts: \(regions).")
    }
}
