package import LatchkeyModel
package import LatchkeyWire

/// The value of the CSRF cookie: the browser's secret, and the one that its last login has replaced.
///
/// An authorization request belongs to the secret from before the login that it asks for, so the browser keeps
/// that secret for an hour. Both secrets and the time are as trustworthy as the cookie itself: a host that can
/// set the cookie can choose all of them.
package struct CSRFCookie: Hashable, Sendable {
    /// How long the previous secret is kept, and how far the clocks of two servers may differ.
    private static let overlap: Duration = .seconds(3600)
    /// The number of digits of a time that is read, which lasts for thousands of years.
    private static let mostDigits = 11

    package let secret: CSRFSecret
    private let replaced: CSRFSecret?
    private let replacedAt: Timestamp?

    /// Creates a cookie with a secret, and with the secret that it replaces at a time, if there is one.
    package init(_ secret: CSRFSecret, replacing previous: CSRFSecret? = nil, at now: Timestamp? = nil) {
        self.secret = secret
        (replaced, replacedAt) = (previous, now)
    }

    /// Reads the value of a cookie.
    ///
    /// If the part about the previous secret is malformed, it is ignored.
    package init?(_ value: String) {
        let parts = value.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
            .map { String(decoding: $0, as: UTF8.self) }
        guard let secret = parts.first.flatMap({ CSRFSecret($0) }) else { return nil }
        guard parts.count == 3, let previous = CSRFSecret(parts[1]), let time = Self.time(parts[2]) else {
            self.init(secret)
            return
        }
        self.init(secret, replacing: previous, at: time)
    }

    private static func time(_ text: String) -> Timestamp? {
        guard text.utf8.count <= mostDigits,
            text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
        else { return nil }
        return Int64(text).map { Timestamp(seconds: $0) }
    }

    /// The value of the cookie.
    package var value: Secret {
        guard let replaced, let replacedAt else { return secret.value }
        let seconds = replacedAt.microseconds / 1_000_000
        return Secret("\(secret.value.exposed).\(replaced.value.exposed).\(seconds)")
    }

    /// Returns the secret that a login has replaced within the last hour, or `nil` if there is none.
    package func previous(at now: Timestamp) -> CSRFSecret? {
        guard let replacedAt, replacedAt - now < Self.overlap, now - replacedAt < Self.overlap else {
            return nil
        }
        return replaced
    }
}

extension BrowserCookies {
    /// The number of CSRF cookies that are read.
    private static let limit = 4

    /// Returns the CSRF cookies of a request.
    ///
    /// There are several if another host has set one with the same name. A browser sends them all, and the user
    /// can't remove them, so each form is checked with the secret that it belongs to.
    package func csrfCookies(of request: HTTP.Request) -> [CSRFCookie] {
        request.cookies(csrf).prefix(Self.limit).compactMap { CSRFCookie($0) }
    }

    /// Returns the header field that sets the CSRF cookie.
    package func field(setting cookie: CSRFCookie) -> String {
        field(csrf, .kept(cookie.value, for: .seconds(365 * 86_400)))
    }
}
