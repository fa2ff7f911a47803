package import LatchkeyServerKit

/// The routes of the admin API.
package enum AdminEndpoints {
    /// Returns the routes of the admin listener.
    ///
    /// The listener checks the token. The routes only declare in the OpenAPI document that they require a
    /// token.
    ///
    /// - Parameters:
    ///   - protected: The routes that require the admin token.
    ///   - open: The routes that the public listener also serves. Kratos clients also request them on the
    ///     admin listener, without a token.
    /// - Returns: All routes, each of which rejects unknown query parameters with status 400.
    package static func routes(_ protected: [Endpoint], open: [Endpoint]) -> [Endpoint] {
        (protected.map(\.forOperators) + open).map(\.refusingUnknownParameters)
    }
}
