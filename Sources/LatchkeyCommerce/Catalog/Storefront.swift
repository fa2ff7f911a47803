package import LatchkeyModel
package import LatchkeyServerKit
import LatchkeyWire

/// A region in which products are sold, with its currency.
package struct Storefront: Hashable, Sendable {
    package let region: Region
    package let currency: Currency

    /// Whether the region is not that of the account.
    package var isGuess = false

    /// The storefront as the API returns it.
    var body: StorefrontBody {
        StorefrontBody(id: region.code, countryCode: region.code, currency: currency.code, isGuess: isGuess)
    }
}

extension ProductCatalog {
    /// Returns the storefront for an account, or for a client without one.
    ///
    /// - Parameters:
    ///   - region: The region of the account; `nil` without an account or if the account has none.
    ///   - ranges: The preferred languages of the client, whose regions are guesses.
    /// - Returns: The storefront of the account's region if the catalog serves it, or else of the first region in the
    ///   languages that the catalog serves, or else of the default region.
    package func storefront(of region: Region?, guessedFrom ranges: LanguageRanges?) -> Storefront {
        if let region, let storefront = storefronts[region] { return storefront }
        let guesses = (ranges?.ranges ?? []).lazy.compactMap { Region(ofLanguageRange: $0) }
        var guess = guesses.compactMap { storefronts[$0] }.first ?? defaultStorefront
        guess.isGuess = true
        return guess
    }
}

extension Region {
    /// Reads the region subtag of a language range, such as `AT` in `de-AT` (RFC 5646, section 2.2.4).
    fileprivate init?(ofLanguageRange range: String) {
        // A subtag with two letters is a region unless it follows a singleton, which begins an extension.
        let subtags = range.split(separator: "-").dropFirst().prefix { $0.utf8.count > 1 }
        guard let region = subtags.lazy.compactMap({ Region(ignoringCase: $0) }).first else { return nil }
        self = region
    }
}
