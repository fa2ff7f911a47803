package import LatchkeyCourier

extension Language {
    /// Selects the language of a page.
    ///
    /// The languages that a client asked for in `ui_locales` come first (OpenID Connect Core 1.0, section
    /// 3.1.2.1), because the user has chosen them there.
    ///
    /// - Parameters:
    ///   - uiLocales: Language tags in order of preference, separated by spaces, or `nil`.
    ///   - acceptLanguage: The value of the `Accept-Language` header field, or `nil`.
    ///   - language: The language to use if none of the others is available.
    package init(uiLocales: String?, acceptLanguage: String?, default language: Language) {
        let tags = uiLocales?.split(separator: " ").joined(separator: ",")
        self =
            [tags, acceptLanguage].lazy.compactMap { $0 }.compactMap { Language(acceptLanguage: $0) }.first
            ?? language
    }
}
