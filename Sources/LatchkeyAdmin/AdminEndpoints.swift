package import LatchkeyServerKit

/// The endpoints of the admin API.
package enum AdminEndpoints {
    /// Returns the endpoints of the admin listener.
    ///
    /// The listener checks the token of every request, unless the endpoint declares that it doesn't require
    /// one.
    ///
    /// - Parameter endpoints: The endpoints. Kratos clients request the schemas and the version from the
    ///   admin listener, although the public listener serves them as well.
    /// - Returns: The endpoints, modified to reject unknown query parameters with status 400.
    package static func routes(_ endpoints: [Endpoint]) -> [Endpoint] {
        endpoints.map(\.refusingUnknownParameters)
    }
}
