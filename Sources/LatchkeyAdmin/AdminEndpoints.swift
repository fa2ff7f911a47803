package import LatchkeyServerKit

/// The routes of the operator API.
package enum AdminEndpoints {
    /// Returns the routes of the admin listener.
    ///
    /// The token itself is checked by the listener; here, the routes only describe in the OpenAPI document
    /// that they require it.
    ///
    /// - Parameters:
    ///   - protected: The routes that require the admin token.
    ///   - open: Routes that are also part of the public listener; Kratos clients request them here, without
    ///     a token.
    /// - Returns: All routes; each rejects unknown query parameters with status 400.
    package static func routes(_ protected: [Endpoint], open: [Endpoint]) -> [Endpoint] {
        (protected.map(\.forOperators) + open).map(\.refusingUnknownParameters)
    }
}
