/// The languages that the server's messages come in.
package enum Language: String, Sendable, CaseIterable {
    case english = "en"
    case norwegian = "nb"
    case swedish = "sv"
    case finnish = "fi"

    /// The language that a person likes best of those that there are (RFC 9110, section 12.5.4); nothing when none is.
    ///
    /// Ranges are looked up as in RFC 4647, section 3.4: `sv-FI` finds Swedish. Norwegian has one written form here.
    ///
    /// - Parameter acceptLanguage: The value of the header field `Accept-Language`.
    package init?(acceptLanguage: String) {
        var best: (language: Language, quality: Int)?
        // Nobody has more than a few languages; what is longer is not read.
        for item in acceptLanguage.utf8.prefix(1024).split(separator: UInt8(ascii: ",")).prefix(50) {
            guard let wish = Wish(Substring(item)), let language = Language(range: wish.range) else {
                continue
            }
            // Of those that are liked alike the first counts.
            if wish.quality > best?.quality ?? 0 { best = (language, wish.quality) }
        }
        guard let best else { return nil }
        self = best.language
    }

    /// Looks a range up; what follows its first part does not change the language.
    private init?(range: Substring) {
        let primary = range.prefix { $0 != "-" }.lowercased()
        switch primary {
        case "no", "nn", "nb": self = .norwegian
        default: self.init(rawValue: primary)
        }
    }

    /// One item of the field: a range and how much it is liked, in thousandths.
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

        /// Reads `q=0.5`: up to three digits behind the point, never above 1.
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
