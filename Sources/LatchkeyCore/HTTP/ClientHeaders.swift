import LatchkeyWire

/// Header fields that tell servers which app and, for the identity server, which languages the user uses.
package struct ClientHeaders: Sendable {
    /// The names of the app and of this SDK, such as `com.example.shop Latchkey/1.0.0`.
    package let userAgent: String

    /// The user's languages, or an empty list to let the server choose one.
    let languages: LanguagePreferences

    /// The value of `Accept-Language`, or `nil` to let the server choose a language.
    package var acceptLanguage: String? { languages.acceptLanguage }

    /// Creates the header fields.
    ///
    /// - Parameters:
    ///   - app: The app's id. The id is truncated to 100 bytes, and bytes that aren't allowed in a product
    ///     name are replaced with hyphens.
    ///   - languages: The user's languages. If the list is empty, the server chooses a language.
    package init(app: String = "", languages: LanguagePreferences = LanguagePreferences()) {
        let product = String(
            decoding: app.utf8.prefix(100).map { $0.isTokenByte ? $0 : UInt8(ascii: "-") },
            as: UTF8.self
        )
        let sdk = "Latchkey/\(Release.version)"
        userAgent = product.isEmpty ? sdk : "\(product) \(sdk)"
        self.languages = languages
    }

    /// Adds the `User-Agent` to a request of the app, unless the request has one (RFC 9110, section 10.1.5).
    ///
    /// Some gateways refuse requests without this field.
    func identify(_ request: inout HTTP.Request) {
        if request.headers["User-Agent"] == nil { request.headers["User-Agent"] = userAgent }
    }

    /// Adds the header fields to a request to the identity server.
    func add(to request: inout HTTP.Request) {
        request.headers["User-Agent"] = userAgent
        if let acceptLanguage { request.headers["Accept-Language"] = acceptLanguage }
    }
}
