package import LatchkeyWire

/// Detection of requests that come from web pages.
///
/// This server has no browser flows. Rejecting requests from browsers prevents a web page from submitting
/// them on behalf of its visitors (CSRF).
package enum BrowserRequest {
    /// Returns the reason to reject a request; `nil` if it does not come from a browser.
    ///
    /// A request with an `Origin` header field or with cookies is considered to come from a browser. Cookies
    /// that Cloudflare's proxies add are ignored.
    package static func reason(for request: HTTP.Request) -> String? {
        if request.headers["Origin"] != nil {
            return "Requests with an Origin header come from browsers; this flow is for native apps."
        }
        if !request.headers.all("Cookie").allSatisfy(isFromProxy) {
            return "Requests with cookies come from browsers; this flow is for native apps."
        }
        return nil
    }

    /// Returns whether a `Cookie` field contains only cookies that Cloudflare's proxies add to all requests,
    /// including those from native apps.
    private static func isFromProxy(_ field: String) -> Bool {
        field.utf8.split(separator: UInt8(ascii: ";")).allSatisfy { cookie in
            let name = cookie.drop { $0 == 0x20 }.prefix { $0 != UInt8(ascii: "=") }
            return ["__cf", "_cf", "cf_"].contains { name.starts(with: $0.utf8) }
        }
    }
}

extension HTTP.Request {
    /// The media type of the body in lower case, without parameters; empty if there is no `Content-Type`.
    package var mediaType: String {
        var type = (headers["Content-Type"] ?? "").utf8.prefix { $0 != UInt8(ascii: ";") }
        while type.last == 0x20 { type.removeLast() }
        return String(decoding: type, as: UTF8.self).lowercased()
    }
}
