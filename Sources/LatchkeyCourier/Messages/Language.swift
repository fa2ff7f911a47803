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
        var best: (language: Language, quality: Int)?
        // Only the first 1024 bytes and 50 items are read, far more than clients send.
        for item in acceptLanguage.utf8.prefix(1024).split(separator: UInt8(ascii: ",")).prefix(50) {
            guard let wish = Wish(Substring(item)), let language = Language(range: wish.range) else {
                continue
            }
            // Among items of equal quality, the first one wins.
            if wish.quality > best?.quality ?? 0 { best = (language, wish.quality) }
        }
        guard let best else { return nil }
        self = best.language
    }

    /// Looks up a language range by its primary subtag.
    private init?(range: Substring) {
        let primary = range.prefix { $0 != "-" }.lowercased()
        switch primary {
        case "no", "nn", "nb": self = .norwegian
        default: self.init(rawValue: primary)
        }
    }

    /// An item of the header field: a language range and its quality in thousandths.
    private struct Wish {
        let range: Substring
        let quality: Int

        init?(_ item: Substring) {
            let parts = item.split(separator: ";", omittingEmptySubsequences: false)
                .map { $0.filter { $0 != " " && $0 != "\t" } }
            guard let range = parts.first, !range.isEmpty, parts.count <= 2 else { return nil }
            self.range = range[...]
            guard parts.count == 2 else {
                quality = 1000
                return
            }
            guard let quality = Self.quality(parts[1]) else { return nil }
            self.quality = quality
        }

        /// Parses a quality such as `q=0.5`: 0 to 1 with at most three decimal places.
        private static func quality(_ text: String) -> Int? {
            guard text.lowercased().hasPrefix("q=") else { return nil }
            let number = text.dropFirst(2).split(separator: ".", omittingEmptySubsequences: false)
            let fraction = number.count == 2 ? number[1] : ""
            guard
                let whole = number.first, whole == "0" || whole == "1", number.count <= 2,
                fraction.utf8.count <= 3,
                fraction.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
                let thousandths = Int(fraction + String(repeating: "0", count: 3 - fraction.utf8.count))
            else { return nil }
            let quality = (whole == "1" ? 1000 : 0) + thousandths
            return quality <= 1000 ? quality : nil
        }
    }
}
