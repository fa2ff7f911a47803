package import LatchkeyServerKit

/// The endpoints of the admin API.
package enum AdminEndpoints {
    /// Returns the endpoints of the admin listener.
    ///
    /// The listener checks the token. The endpoints only declare in the OpenAPI document that a token is
    /// required.
    ///
    /// - Parameters:
    ///   - protected: The endpoints that require the admin token.
    ///   - open: The endpoints that don't require a token. Kratos clients request these endpoints from the
    ///     admin listener, although the public listener serves them as well.
    /// - Returns: All endpoints, modified to reject unknown query parameters with status 400.
    package static func routes(_ protected: [Endpoint], open: [Endpoint]) -> [Endpoint] {
        (protected.map(\.forOperators) + open).map(\.refusingUnknownParameters)
    }
}
