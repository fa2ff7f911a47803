package import LatchkeyModel
package import LatchkeyWire

/// The credentials of a request that can identify a session.
///
/// This is the only place that decides which of several credentials counts: the header field
/// `X-Session-Token`, even if its token is wrong, then the cookie, and then the bearer token.
package struct RequestCredentials: Sendable {
    /// The cookie that identifies the session of a browser.
    package static let cookie = "latchkey_session"

    /// The session token, which may also be an access token, or `nil` if there is none.
    package let sessionToken: Secret?

    /// Reads the credentials of a request.
    ///
    /// Routes that don't accept cookies ignore them, because web pages can make a browser send them.
    package init(_ request: HTTP.Request, acceptingCookies acceptsCookies: Bool = false) {
        let headers = request.headers
        let cookie = acceptsCookies ? request.cookie(Self.cookie).map { Secret($0) } : nil
        if let token = headers["X-Session-Token"], !token.isEmpty {
            sessionToken = Secret(token)
        } else {
            sessionToken = cookie ?? request.token(by: .bearer)
        }
    }

    /// Returns whether a request has no credential at all, not even one that isn't accepted.
    package static func areMissing(in request: HTTP.Request, acceptingCookies: Bool) -> Bool {
        request.headers["X-Session-Token"] == nil && request.headers["Authorization"] == nil
            && !(acceptingCookies && request.cookie(cookie) != nil)
    }
}

extension HTTP.Request {
    /// The session token of a request to a route that doesn't accept cookies.
    package var sessionToken: Secret? { RequestCredentials(self).sessionToken }

    /// Returns the value of a cookie (RFC 6265, section 4.2), or `nil` if it is missing or empty.
    ///
    /// If there are several cookies with this name, the result is `nil`, because a page on another host may
    /// have set one of them.
    package func cookie(_ name: String) -> String? {
        let values = headers.all("Cookie").flatMap { $0.split(separator: ";") }.compactMap { pair in
            let parts = pair.drop { $0 == " " }.split(separator: "=", maxSplits: 1)
            return parts.count == 2 && parts[0] == name ? String(parts[1]) : nil
        }
        return values.count == 1 ? values[0] : nil
    }
}
