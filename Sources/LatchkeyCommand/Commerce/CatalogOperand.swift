import LatchkeyCommerce
import LatchkeyServer

/// The catalog that the commands for products read.
enum CatalogOperand {
    /// The flag for the default region, which takes precedence over the configured one.
    static let region = Option(
        "region",
        value: "CODE",
        help: "The storefront to show, such as AT. Default: all of them."
    )

    /// Reads the configured catalog.
    ///
    /// - Throws: ``CommandFailure`` of the kind `usage` if no catalog is configured or the file has errors.
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
