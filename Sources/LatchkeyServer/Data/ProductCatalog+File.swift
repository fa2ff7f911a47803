package import LatchkeyCommerce
import LatchkeyServerKit

extension ProductCatalog {
    /// Reads the configured catalog.
    ///
    /// Returns `nil` if no catalog is configured.
    ///
    /// - Throws: ``IdentityServerError``. The error message has one line for each problem in the file.
    package init?(_ settings: CommerceSettings) throws(IdentityServerError) {
        guard let path = settings.catalog else { return nil }
        try self.init(path: path, defaultRegion: settings.defaultRegion)
    }

    /// Reads a catalog from a file.
    ///
    /// - Parameters:
    ///   - path: The path of the JSON5 file.
    ///   - region: The code of the default region. If this is `nil`, the catalog must have exactly one
    ///     storefront.
    /// - Throws: ``IdentityServerError``. The error message has one line for each problem in the file.
    package init(path: String, defaultRegion region: String?) throws(IdentityServerError) {
        let bytes: [UInt8]
        do {
            bytes = try PrivateFile(path).contents()
        } catch {
            throw IdentityServerError(.configuration, message: "cannot read the file \(path)")
        }
        do throws(CatalogError) {
            try self.init(bytes, defaultRegion: region)
        } catch {
            let lines = error.problems.map { "\(path): \($0)" }
            throw IdentityServerError(.configuration, message: lines.joined(separator: "\n"))
        }
    }
}
