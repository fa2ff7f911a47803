package import LatchkeyModel
import LatchkeyServerKit
package import LatchkeyWire

/// A product of the catalog with its texts and its prices in all storefronts.
package struct Product: Hashable, Sendable {
    /// The title and the description in one language.
    package struct Text: Hashable, Sendable {
        package let title: String
        /// The description; empty if the catalog has none.
        package let description: String
    }

    /// The id, which apps use and which never changes.
    package let id: String
    package let kind: ProductKind
    /// The texts, keyed by language tags in lower case, such as `de` or `pt-br`.
    package let texts: [String: Text]
    /// The prices of one unit; the product is sold only in these regions.
    package let prices: [Region: Money]

    /// Returns the texts in the first available language of the ranges, or else in the default language.
    ///
    /// A range is shortened from its end until a language matches (RFC 4647, section 3.4).
    func text(for ranges: LanguageRanges?, default language: String) -> Text {
        for range in ranges?.ranges ?? [] {
            var subtags = range.lowercased().split(separator: "-")
            while !subtags.isEmpty {
                if let text = texts[subtags.joined(separator: "-")] { return text }
                subtags.removeLast()
            }
        }
        return texts[language] ?? Text(title: id, description: "")
    }
}
