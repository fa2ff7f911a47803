package import LatchkeyModel
package import LatchkeyServerKit
import LatchkeyWire

/// A region in which products are sold, and its currency.
package struct Storefront: Hashable, Sendable {
    package let region: Region
    package let currency: Currency

    /// Whether the storefront was chosen without using the account's region.
    package var isGuess = false

    /// The storefront as the API returns it.
    var body: StorefrontBody {
        StorefrontBody(id: region.code, countryCode: region.code, currency: currency.code, isGuess: isGuess)
    }
}

extension ProductCatalog {
    /// Returns the storefront that an account buys in.
    ///
    /// The client's languages don't matter, because clients could choose the cheapest storefront with them.
    ///
    /// - Parameter region: The account's region, or `nil` if it doesn't have one.
    /// - Returns: The storefront for the region, or else the default storefront.
    package func storefront(of region: Region?) -> Storefront {
        if let region, let storefront = storefronts[region] { return storefront }
        var standard = defaultStorefront
        standard.isGuess = true
        return standard
    }

    /// Returns the storefront to show before the user has logged in.
    ///
    /// - Parameter ranges: The client's preferred languages.
    /// - Returns: The first storefront that matches a preferred language, or else the default storefront.
    package func storefront(guessedFrom ranges: LanguageRanges?) -> Storefront {
        let guesses = (ranges?.ranges ?? []).lazy.compactMap { Region(ofLanguageRange: $0) }
        var guess = guesses.compactMap { storefronts[$0] }.first ?? defaultStorefront
        guess.isGuess = true
        return guess
    }
}

extension Region {
    /// Reads the region from a language range, such as `AT` in `de-AT` (RFC 5646, section 2.2.4).
    fileprivate init?(ofLanguageRange range: String) {
        // A two-letter subtag is a region unless it comes after a single-letter subtag, which starts an
        // extension.
        let subtags = range.split(separator: "-").dropFirst().prefix { $0.utf8.count > 1 }
        guard let region = subtags.lazy.compactMap({ Region(ignoringCase: $0) }).first else { return nil }
        self = region
    }
}
