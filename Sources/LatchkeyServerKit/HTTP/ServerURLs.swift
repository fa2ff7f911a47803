/// The public URLs of a server.
package struct ServerURLs: Hashable, Sendable {
    /// The URL of the server without a trailing slash, which is also the issuer (`iss`) of its access tokens.
    package let base: String

    /// The path prefix of the self-service API, without a trailing slash; empty if it is served at the root.
    package let basePath: String

    /// Creates the URLs of a server.
    ///
    /// - Parameters:
    ///   - base: The URL at which clients reach the server.
    ///   - basePath: The path prefix of the self-service API, from which one trailing slash is removed.
    package init(base: String, basePath: String) {
        self.base = base
        self.basePath = basePath.hasSuffix("/") ? String(basePath.dropLast()) : basePath
    }

    /// The URL of the self-service API.
    package var selfService: String { base + basePath }
}
