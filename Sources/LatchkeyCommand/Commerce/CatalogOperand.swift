import LatchkeyCommerce
import LatchkeyServer

/// Provides the catalog for the product commands.
enum CatalogOperand {
    /// Limits the output to a single storefront.
    static let region = Option(
        "region",
        value: "CODE",
        help: "The storefront to show, such as AT. Default: all storefronts."
    )

    /// Reads the configured catalog.
    ///
    /// - Throws: ``CommandFailure`` with the code `usage` if no catalog is configured or the catalog contains
    ///   errors.
    static func catalog(
        for arguments: Arguments,
        console: Console
    ) throws(CommandFailure) -> (catalog: ProductCatalog, path: String) {
        let configuration = try ConfigurationOptions.load(from: arguments, console: console)
        guard let path = configuration.commerce.catalog else {
            throw CommandFailure(
                .usage,
                message: "no catalog is configured",
                hint: "set commerce.catalog in the configuration, or use --commerce-catalog FILE"
            )
        }
        do throws(IdentityServerError) {
            let region = configuration.commerce.defaultRegion
            return (try ProductCatalog(path: path, defaultRegion: region), path)
        } catch {
            throw CommandFailure(.usage, message: error.message)
        }
    }
}
