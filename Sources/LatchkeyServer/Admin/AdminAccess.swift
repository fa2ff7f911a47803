import LatchkeyAdmin
import LatchkeyModel
import LatchkeyServerKit
import LatchkeyWire

/// Decides which requests the admin listener accepts.
struct AdminAccess: Sendable {
    let tokens: AdminTokens

    /// Whether callers on this machine may omit the token.
    ///
    /// Requests that come from web pages always need a token.
    let isOpen: Bool

    /// Whether metrics can be read without a token.
    let opensMetrics: Bool

    private let router: Router

    /// Creates the rules from the settings of the admin listener and the credentials that its routes declare.
    init(_ configuration: AdminSettings, tokens: AdminTokens, router: Router) {
        self.tokens = tokens
        self.router = router
        isOpen = configuration.open
        opensMetrics = configuration.metrics == .open
    }

    /// Checks whether a request is authorized.
    ///
    /// If the request contains a token, the token is always checked. A wrong token is rejected even if
    /// ``isOpen`` is `true`, and so are other credentials.
    ///
    /// - Parameter request: The request to check.
    /// - Returns: The reason for rejecting the request, or `nil` if the request is accepted.
    func refusal(of request: HTTP.Request) -> AdminRefusal? {
        if isPublic(request.path) { return nil }
        if request.headers["Authorization"] != nil {
            let isAccepted = request.token(by: .bearer).map { tokens.accept($0.exposed) } ?? false
            return isAccepted ? nil : .wrongToken
        }
        guard isOpen else { return .missingToken }
        // Check the `Host` header to detect DNS rebinding, where a web page's host name resolves to a
        // loopback address.
        guard hasLoopbackHost(request) else { return .foreignHost }
        return isFromPage(request) ? .crossSite : nil
    }

    /// Returns whether a path can be requested without credentials.
    ///
    /// Every route with this path must declare this. An unknown path requires the token, so that responses
    /// don't reveal which routes exist.
    private func isPublic(_ path: String) -> Bool {
        let declared = router.credentials(ofPath: path)
        return !declared.isEmpty
            && declared.allSatisfy { credentials in
                switch credentials {
                case .none: true
                case .adminTokenUnlessOpen: opensMetrics
                case .adminToken, .session, .body, .clientToken: false
                }
            }
    }

    /// Returns whether the request has exactly one `Host` header and its host is a loopback address.
    private func hasLoopbackHost(_ request: HTTP.Request) -> Bool {
        let hosts = request.headers.all("Host")
        guard hosts.count == 1, let host = hosts.first else { return false }
        return Loopback.contains(authority: host)
    }

    /// Returns whether the request was sent by a web page in a browser.
    private func isFromPage(_ request: HTTP.Request) -> Bool {
        !request.headers.all("Origin").isEmpty
            || request.headers.all("Sec-Fetch-Site").contains { $0 != "none" }
    }
}
