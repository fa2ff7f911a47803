package import LatchkeyModel
import LatchkeyServerKit
package import LatchkeyWire

/// A product in the catalog, with its descriptions in all languages and its prices in all storefronts.
package struct Product: Hashable, Sendable {
    /// The title and description in one language.
    package struct Text: Hashable, Sendable {
        package let title: String
        /// The description.
        ///
        /// The description is empty if the catalog doesn't contain one.
        package let description: String
    }

    /// The id that apps use for the product.
    ///
    /// The id must never change.
    package let id: String
    package let kind: ProductKind
    /// The texts.
    ///
    /// The keys are language tags in lowercase, such as `de` or `pt-br`.
    package let texts: [String: Text]
    /// The price of one unit in each region.
    ///
    /// The product isn't sold in regions without a price.
    package let prices: [Region: Money]

    /// Returns the texts in the first preferred language that is available, or else in the default language.
    ///
    /// Each language range is shortened from the end until a language matches (RFC 4647, section 3.4).
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
