package import LatchkeyServerKit

/// The routes of the operator API.
package enum AdminEndpoints {
    /// Returns the routes of the admin listener.
    ///
    /// - Parameters:
    ///   - protected: The routes that require the admin token.
    ///   - open: Routes that are also part of the public listener; Kratos clients request them here, without a
    ///     token.
    /// - Returns: All routes; each rejects unknown query parameters.
    package static func routes(_ protected: [Endpoint], open: [Endpoint]) -> [Endpoint] {
        (protected.map(\.forOperators) + open).map(\.refusingUnknownParameters)
    }
}
