/// The public URLs of a server.
package struct ServerURLs: Hashable, Sendable {
    /// The URL of the server, without a trailing slash.
    ///
    /// The same URL is used as the issuer (`iss`) of access tokens.
    package let base: String

    /// The path prefix of the self-service API, without a trailing slash.
    ///
    /// If the API is served at the root, the prefix is empty.
    package let basePath: String

    /// Creates the URLs of a server.
    ///
    /// - Parameters:
    ///   - base: The URL that clients use to reach the server.
    ///   - basePath: The path prefix of the self-service API. One trailing slash is removed.
    package init(base: String, basePath: String) {
        self.base = base
        self.basePath = basePath.hasSuffix("/") ? String(basePath.dropLast()) : basePath
    }

    /// The URL of the self-service API.
    package var selfService: String { base + basePath }
}
