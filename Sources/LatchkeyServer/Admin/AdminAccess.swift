import LatchkeyAdmin
import LatchkeyWire

/// The authorization rules of the admin listener.
struct AdminAccess: Sendable {
    /// The tokens that are accepted.
    let tokens: AdminTokens

    /// Whether callers on this machine need no token, except for requests from web pages, which always need
    /// one.
    let isOpen: Bool

    /// Whether requests for metrics need no token.
    let opensMetrics: Bool

    /// Creates the rules from a configuration.
    init(_ configuration: AdminSettings, tokens: AdminTokens) {
        self.tokens = tokens
        isOpen = configuration.open
        opensMetrics = configuration.metrics == .open
    }

    /// Decides whether a request is accepted.
    ///
    /// A token in the request is always verified: a wrong token is rejected even if ``isOpen`` is set.
    ///
    /// - Parameter request: The request, whose path, host, origin and bearer token are examined.
    /// - Returns: The reason for rejecting the request, or `nil` if it is accepted.
    func refusal(of request: HTTP.Request) -> AdminRefusal? {
        if isPublic(request.path) { return nil }
        switch bearerToken(of: request) {
        case .some(let token): return tokens.accept(token) ? nil : .wrongToken
        case .none where !isOpen: return .missingToken
        // The `Host` header reveals DNS rebinding attacks, in which a web page's host name resolves to a
        // loopback address.
        case .none where !hasLoopbackHost(request): return .foreignHost
        case .none: return isFromPage(request) ? .crossSite : nil
        }
    }

    /// Returns whether a path needs no credentials.
    ///
    /// This applies to health checks, the version and the schemas, which the public listener also serves, and
    /// to metrics if they are configured as open.
    private func isPublic(_ path: String) -> Bool {
        switch path {
        case Route.alive, Route.ready, Route.version, "/schemas": true
        case MetricsEndpoint.path, MetricsEndpoint.kratosPath: opensMetrics
        default: path.hasPrefix("/schemas/") && !path.dropFirst(9).contains("/")
        }
    }

    /// Returns the bearer token of a request; `nil` if the request has no credentials, and an empty string if
    /// its credentials are not exactly one bearer token.
    private func bearerToken(of request: HTTP.Request) -> String? {
        let fields = request.headers.all("Authorization")
        guard let field = fields.first else { return nil }
        let parts = field.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false)
        guard fields.count == 1, parts.count == 2, parts[0].lowercased() == "bearer" else { return "" }
        return String(parts[1])
    }

    /// Returns whether the request has exactly one `Host` header, which names a loopback address.
    private func hasLoopbackHost(_ request: HTTP.Request) -> Bool {
        let hosts = request.headers.all("Host")
        guard hosts.count == 1, let host = hosts.first else { return false }
        return Loopback.contains(authority: host)
    }

    /// Returns whether a browser sent the request on behalf of a web page.
    private func isFromPage(_ request: HTTP.Request) -> Bool {
        !request.headers.all("Origin").isEmpty
            || request.headers.all("Sec-Fetch-Site").contains { $0 != "none" }
    }
}
