package import LatchkeyServerKit
import LatchkeyWire

/// A language in which forms and messages are available.
///
/// Raw values are the primary subtags of language tags (RFC 5646).
public enum Language: String, Sendable, CaseIterable {
    /// The English language.
    case english = "en"
    /// Norwegian in its written form Bokmål.
    case norwegian = "nb"
    /// The Swedish language.
    case swedish = "sv"
    /// The Finnish language.
    case finnish = "fi"

    /// Selects the available language that a request prefers in its `Accept-Language` header, or `language`
    /// if there is none.
    package init(of context: RequestContext, default language: Language) {
        self =
            context.request.headers["Accept-Language"].flatMap { Language(acceptLanguage: $0) } ?? language
    }

    /// Selects the available language that a client prefers (RFC 9110, section 12.5.4).
    ///
    /// Language ranges are matched by lookup (RFC 4647, section 3.4): `sv-FI` selects Swedish. `no` and `nn`
    /// select Norwegian Bokmål, the only available written form of Norwegian.
    ///
    /// - Parameter acceptLanguage: The value of the `Accept-Language` header field; the result is `nil` if it
    ///   contains no available language.
    package init?(acceptLanguage: String) {
        let available = LanguageRanges(acceptLanguage).ranges.lazy.compactMap { Language(range: $0) }
        guard let best = available.first else { return nil }
        self = best
    }

    /// Looks up a language range by its primary subtag.
    private init?(range: String) {
        let primary = range.prefix { $0 != "-" }.lowercased()
        switch primary {
        case "no", "nn", "nb": self = .norwegian
        default: self.init(rawValue: primary)
        }
    }
}
