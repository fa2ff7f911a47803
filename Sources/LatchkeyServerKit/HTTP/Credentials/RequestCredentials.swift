package import LatchkeyModel
package import LatchkeyWire

/// The credential of a request that can identify a session.
///
/// This is the only place that decides which of several credentials counts: the header field
/// `X-Session-Token`, even if its token is wrong, then the cookie, and then the bearer token.
package enum RequestCredentials: Sendable {
    /// There is no credential.
    case missing
    /// A session token, which may also be an access token.
    case token(Secret)
    /// The value of a browser's session cookie.
    case cookie(Secret)

    /// Reads the credentials of a request.
    ///
    /// Credentials that a route doesn't accept are ignored. In particular, web pages can make a browser send
    /// cookies to any route.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - carrier: Where the route accepts a credential.
    ///   - cookie: The name of the session cookie.
    package init(
        _ request: HTTP.Request,
        in carrier: SessionCredentials.Carrier = .header,
        cookie: String = ""
    ) {
        if carrier != .cookie, let token = request.headers["X-Session-Token"], !token.isEmpty {
            self = .token(Secret(token))
        } else if carrier != .header, let value = request.cookie(cookie) {
            self = .cookie(Secret(value))
        } else if carrier != .cookie, let token = request.token(by: .bearer) {
            self = .token(token)
        } else {
            self = .missing
        }
    }

    /// Returns whether a request has no credential at all, not even one that isn't accepted.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - carrier: Where the route accepts a credential.
    ///   - cookie: The name of the session cookie.
    /// - Returns: Whether there is no credential.
    package static func areMissing(
        in request: HTTP.Request,
        for carrier: SessionCredentials.Carrier = .header,
        cookie: String = ""
    ) -> Bool {
        request.headers["X-Session-Token"] == nil && request.headers["Authorization"] == nil
            && (carrier == .header || request.cookie(cookie) == nil)
    }
}

extension HTTP.Request {
    /// The session token of a request to a route that doesn't accept cookies.
    package var sessionToken: Secret? {
        if case .token(let token) = RequestCredentials(self) { token } else { nil }
    }

    /// Returns the value of a cookie (RFC 6265, section 4.2), or `nil` if it is missing or empty.
    ///
    /// If there are several cookies with this name, the result is `nil`, because a page on another host may
    /// have set one of them.
    package func cookie(_ name: String) -> String? {
        let values = cookies(name)
        return values.count == 1 ? values[0] : nil
    }

    /// Returns the values of all cookies with a name.
    ///
    /// Empty values are left out. Names and separators are compared byte by byte: as Swift's characters, other
    /// code points would be equal to a semicolon, and a page on another host could hide a cookie in the value of
    /// its own.
    package func cookies(_ name: String) -> [String] {
        headers.all("Cookie").flatMap { $0.utf8.split(separator: UInt8(ascii: ";")) }.compactMap { pair in
            let pair = pair.drop { $0 == 0x20 }
            guard let mark = pair.firstIndex(of: UInt8(ascii: "=")), pair[..<mark].elementsEqual(name.utf8)
            else { return nil }
            let value = pair[pair.index(after: mark)...]
            return value.isEmpty ? nil : String(decoding: value, as: UTF8.self)
        }
    }
}
