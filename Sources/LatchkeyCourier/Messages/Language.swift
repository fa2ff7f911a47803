package import LatchkeyServerKit
import LatchkeyWire

/// A language that forms and messages are available in.
///
/// The raw values are primary language subtags (RFC 5646).
public enum Language: String, Sendable, CaseIterable {
    /// English.
    case english = "en"
    /// Norwegian Bokmål.
    case norwegian = "nb"
    /// Swedish.
    case swedish = "sv"
    /// Finnish.
    case finnish = "fi"

    /// Selects the best available language for a request based on its `Accept-Language` header.
    ///
    /// If there is no match, `language` is used.
    package init(of context: RequestContext, default language: Language) {
        self =
            context.request.headers["Accept-Language"].flatMap { Language(acceptLanguage: $0) } ?? language
    }

    /// Selects the best available language for a client (RFC 9110, section 12.5.4).
    ///
    /// Language ranges are matched with the lookup scheme of RFC 4647, section 3.4. For example, `sv-FI`
    /// selects Swedish. `no` and `nn` select Bokmål because it is the only form of Norwegian that we support.
    ///
    /// - Parameter acceptLanguage: The value of the `Accept-Language` header. If the header doesn't contain
    ///   any available language, the result is `nil`.
    package init?(acceptLanguage: String) {
        let available = LanguageRanges(acceptLanguage).ranges.lazy.compactMap { Language(range: $0) }
        guard let best = available.first else { return nil }
        self = best
    }

    /// Matches a language range by its primary subtag.
    private init?(range: String) {
        let primary = range.prefix { $0 != "-" }.lowercased()
        switch primary {
        case "no", "nn", "nb": self = .norwegian
        default: self.init(rawValue: primary)
        }
    }
}
