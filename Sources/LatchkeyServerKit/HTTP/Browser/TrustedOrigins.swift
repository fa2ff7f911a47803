package import LatchkeyWire

/// The origins whose pages may send requests on behalf of their visitors.
///
/// This is the second line of defence against forged requests (CSRF); the first one is the form's token.
package struct TrustedOrigins: Hashable, Sendable {
    private let origins: Set<String>

    /// Creates the list from the server's own URL and those of its pages.
    package init(_ urls: [String]) {
        origins = Set(urls.compactMap { ReturnURL($0)?.origin })
    }

    /// Returns whether a request doesn't come from a page of another origin.
    ///
    /// Requests from programs and old browsers have neither `Sec-Fetch-Site` nor `Origin`, and are accepted.
    /// `Origin: null` is only accepted from a page of this server, because a page without an origin can belong
    /// to anyone.
    package func accept(_ request: HTTP.Request) -> Bool {
        let site = request.headers["Sec-Fetch-Site"]?.lowercased()
        guard site != "cross-site" else { return false }
        switch request.headers["Origin"] {
        case nil: return true
        case "null"?: return site == "same-origin"
        case let origin?: return origins.contains(origin)
        }
    }
}
