import LatchkeyCrypto
package import LatchkeyModel

/// The cookies of browsers: their names and attributes.
///
/// Over HTTPS, the names have the prefix `__Host-`, so that other hosts of the same domain can't set them
/// (RFC 6265bis, section 4.1.3.2).
package struct BrowserCookies: Hashable, Sendable {
    /// A change that a response makes to a cookie.
    package enum Update: Sendable {
        /// A value that the browser keeps for a period of time, or until it is closed if there is none.
        case kept(Secret, for: Duration?)
        /// No value, which deletes the cookie.
        case deleted
    }

    /// The name of the cookie that identifies a session.
    package let session: String
    /// The name of the cookie with the secret that protects forms (CSRF).
    package let csrf: String
    /// The name of the cookie that fills in the code of a mailed link.
    package let link: String

    private let isSecure: Bool
    private let domain: String?

    /// Creates the names of the cookies of the server with the given public URL.
    ///
    /// The session cookie has the given name if other hosts of a domain receive it.
    package init(url: String, domain: String? = nil, sharedName: String = "") {
        isSecure = url.lowercased().hasPrefix("https:")
        self.domain = domain
        let prefix = isSecure && domain == nil ? "__Host-" : ""
        session = domain == nil ? prefix + "latchkey_session" : sharedName
        // Several servers on one machine share their cookies, which have no ports.
        csrf =
            prefix.isEmpty
            ? "csrf_token_" + SHA256.hash(Array(url.utf8)).map(Self.hexadecimal).joined()
            : prefix + "csrf_token"
        // No other host needs the code of a link.
        link = (isSecure ? "__Host-" : "") + "latchkey_link"
    }

    /// Returns the value of the header field that sets or deletes a cookie (RFC 6265, section 4.1).
    package func field(_ name: String, _ update: Update) -> String {
        let (text, age): (String, Int64?) =
            switch update {
            case .kept(let secret, let lifespan): (secret.exposed, lifespan.map(\.components.seconds))
            case .deleted: ("", 0)
            }
        let domain = name == link ? nil : domain
        return "\(name)=\(text); Path=/" + (domain.map { "; Domain=\($0)" } ?? "")
            + (age.map { "; Max-Age=\(max(0, $0))" } ?? "") + "; HttpOnly; SameSite=Lax"
            + (isSecure ? "; Secure" : "")
    }

    private static func hexadecimal(_ byte: UInt8) -> String {
        (byte < 16 ? "0" : "") + String(byte, radix: 16)
    }
}
