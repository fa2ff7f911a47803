import LatchkeyWire

/// The header fields by which the identity server knows the app and the languages of its user.
package struct ClientHeaders: Sendable {
    /// The app and this SDK, such as `com.example.shop Latchkey/1.0.0`.
    package let userAgent: String

    /// The user's languages; `nil` if the server decides.
    package let acceptLanguage: String?

    /// Creates the fields.
    ///
    /// - Parameters:
    ///   - app: The app's id. Bytes that a product name cannot contain are replaced by hyphens.
    ///   - languages: The user's languages.
    package init(app: String = "", languages: LanguagePreferences = LanguagePreferences()) {
        let product = String(
            decoding: app.utf8.prefix(100).map { $0.isTokenByte ? $0 : UInt8(ascii: "-") },
            as: UTF8.self
        )
        let sdk = "Latchkey/\(Release.version)"
        userAgent = product.isEmpty ? sdk : "\(product) \(sdk)"
        acceptLanguage = languages.acceptLanguage
    }

    /// Adds the fields to a request to the identity server.
    func add(to request: inout HTTPRequest) {
        request.headers["User-Agent"] = userAgent
        if let acceptLanguage { request.headers["Accept-Language"] = acceptLanguage }
    }
}
