package import LatchkeyWire

/// Detects requests that were sent by a web page in a browser.
///
/// Flows of native apps have no CSRF token. Rejecting requests from browsers prevents web pages from submitting
/// requests on behalf of their visitors (CSRF).
package enum BrowserRequest {
    /// Returns the reason for rejecting a request, or `nil` if the request doesn't come from a browser.
    ///
    /// A request with an `Origin` header field or cookies is assumed to come from a browser. Cookies added by
    /// Cloudflare's proxies are ignored.
    package static func reason(for request: HTTP.Request) -> String? {
        if request.headers["Origin"] != nil {
            return "Requests with an Origin header come from browsers; this flow is for native apps."
        }
        if !request.headers.all("Cookie").allSatisfy(isFromProxy) {
            return "Requests with cookies come from browsers; this flow is for native apps."
        }
        return nil
    }

    /// Returns whether all the cookies in a `Cookie` field were added by Cloudflare's proxies.
    ///
    /// Cloudflare also adds cookies to requests from native apps.
    private static func isFromProxy(_ field: String) -> Bool {
        field.utf8.split(separator: UInt8(ascii: ";")).allSatisfy { cookie in
            let name = cookie.drop { $0 == 0x20 }.prefix { $0 != UInt8(ascii: "=") }
            return ["__cf", "_cf", "cf_"].contains { name.starts(with: $0.utf8) }
        }
    }
}

extension HTTP.Request {
    /// Whether a browser fetches a page before the user asks for it (Fetch, `Sec-Purpose`).
    package var isPrefetch: Bool {
        ["Sec-Purpose", "Purpose"].contains { headers[$0]?.lowercased().contains("prefetch") == true }
    }

    /// The media type of the body in lower case, without parameters.
    ///
    /// If there is no `Content-Type`, this is empty.
    package var mediaType: String {
        var type = (headers["Content-Type"] ?? "").utf8.prefix { $0 != UInt8(ascii: ";") }
        while type.last == 0x20 { type.removeLast() }
        return String(decoding: type, as: UTF8.self).lowercased()
    }
}
