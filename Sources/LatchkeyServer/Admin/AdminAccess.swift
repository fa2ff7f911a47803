import LatchkeyServerCore
import LatchkeyWire

/// The rules by which the admin listener accepts a request.
struct AdminAccess: Sendable {
    let tokens: AdminTokens

    /// Whether callers on this machine need no token, unless they are web pages.
    let isOpen: Bool

    /// Whether metrics need no token.
    let opensMetrics: Bool

    /// Creates the rules of a configuration.
    init(_ configuration: ServerConfiguration.Admin, tokens: AdminTokens) {
        self.tokens = tokens
        isOpen = configuration.open
        opensMetrics = configuration.metrics == .open
    }

    /// Decides about a request.
    ///
    /// - Parameter request: The request.
    /// - Returns: Why it is refused, or `nil` if it is accepted.
    func refusal(of request: HTTPRequest) -> AdminRefusal? {
        if isPublic(request.path) { return nil }
        switch bearerToken(of: request) {
        case .some(let token): return tokens.accept(token) ? nil : .wrongToken
        case .none where !isOpen: return .missingToken
        // A page that rebinds its name to a loopback address sends that name as the host.
        case .none where !hasLoopbackHost(request): return .foreignHost
        case .none: return isFromPage(request) ? .crossSite : nil
        }
    }

    /// Health, the version, and what the other listener shows to everyone as well.
    private func isPublic(_ path: String) -> Bool {
        switch path {
        case Route.alive, Route.ready, Route.version, "/schemas": true
        case MetricsEndpoint.path, MetricsEndpoint.kratosPath: opensMetrics
        default: path.hasPrefix("/schemas/") && !path.dropFirst(9).contains("/")
        }
    }

    /// The credentials of the header `Authorization`, which are wrong if they are not one bearer token.
    private func bearerToken(of request: HTTPRequest) -> String? {
        let fields = request.headers.all("Authorization")
        guard let field = fields.first else { return nil }
        let parts = field.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false)
        guard fields.count == 1, parts.count == 2, parts[0].lowercased() == "bearer" else { return "" }
        return String(parts[1])
    }

    private func hasLoopbackHost(_ request: HTTPRequest) -> Bool {
        let hosts = request.headers.all("Host")
        guard hosts.count == 1, let host = hosts.first else { return false }
        return Loopback.contains(authority: host)
    }

    private func isFromPage(_ request: HTTPRequest) -> Bool {
        !request.headers.all("Origin").isEmpty
            || request.headers.all("Sec-Fetch-Site").contains { $0 != "none" }
    }
}
