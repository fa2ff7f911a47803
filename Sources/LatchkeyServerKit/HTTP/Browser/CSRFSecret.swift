import LatchkeyCrypto
package import LatchkeyModel
package import LatchkeyWire

/// The secret of a browser, which protects its forms from those of other sites (CSRF) and binds flows to it.
///
/// The browser keeps the secret in a cookie. Forms contain it masked, so that compression can't reveal it
/// (the BREACH attack).
package struct CSRFSecret: Hashable, Sendable {
    private static let byteCount = 32

    package let bytes: [UInt8]

    package init(random: any RandomSource) {
        bytes = random.bytes(Self.byteCount)
    }

    /// Reads the value of a cookie.
    package init?(_ value: String) {
        guard let bytes = Base64URL.decode(value), bytes.count == Self.byteCount else { return nil }
        self.bytes = bytes
    }

    /// The value of the cookie.
    package var value: Secret { Secret(Base64URL.encode(bytes)) }

    /// Returns a token for a form, which is different each time.
    package func token(random: any RandomSource) -> String {
        let mask = random.bytes(Self.byteCount)
        return Base64URL.encode(mask + zip(mask, bytes).map { $0 ^ $1 })
    }

    /// Returns whether a form's token was made from this secret.
    package func accepts(_ token: String) -> Bool {
        guard let masked = Base64URL.decode(token), masked.count == 2 * Self.byteCount else { return false }
        let unmasked = zip(masked.prefix(Self.byteCount), masked.suffix(Self.byteCount)).map { $0 ^ $1 }
        return ConstantTime.equal(unmasked, bytes)
    }
}

/// The contents of the cookies of a browser that sent a request to a flow.
package struct BrowserState: Sendable {
    /// The secret in the browser's cookie, or a new one.
    package let current: CSRFSecret
    /// The secrets in other cookies of the same name, which another host has set.
    private let others: [CSRFSecret]
    /// Whether the response has to set the cookie, because the browser has none.
    package let isNew: Bool
    /// The secret that replaces the current one when a session is opened, so that no value that an attacker
    /// has planted before a login is valid after it.
    package let next: CSRFSecret
    /// The mailed links that the browser has opened, the latest first.
    package let links: [BrowserLink]

    /// Creates the state of a browser.
    ///
    /// - Parameters:
    ///   - known: The secrets in the browser's cookies, usually one.
    ///   - links: The mailed links that the browser has opened.
    ///   - random: The source of new secrets.
    package init(known: [CSRFSecret], links: [BrowserLink], random: any RandomSource) {
        self.links = links
        current = known.first ?? CSRFSecret(random: random)
        others = Array(known.dropFirst())
        isNew = known.isEmpty
        next = CSRFSecret(random: random)
    }

    /// Returns whether one of the browser's secrets meets a condition.
    package func hasSecret(where condition: (CSRFSecret) -> Bool) -> Bool {
        condition(current) || others.contains(where: condition)
    }
}

extension BrowserCookies {
    /// The number of CSRF cookies that are read.
    private static let limit = 4

    /// Returns the secrets in the CSRF cookies of a request.
    ///
    /// There are several if another host has set one with the same name. A browser sends them all, and the user
    /// can't remove them, so each form is checked with the secret that it belongs to.
    package func csrfSecrets(of request: HTTP.Request) -> [CSRFSecret] {
        request.cookies(csrf).prefix(Self.limit).compactMap { CSRFSecret($0) }
    }

    /// Returns the header field that sets the cookie with a secret.
    package func field(setting secret: CSRFSecret) -> String {
        field(csrf, .kept(secret.value, for: .seconds(365 * 86_400)))
    }
}
