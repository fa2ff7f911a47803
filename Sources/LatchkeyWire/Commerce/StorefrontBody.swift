/// A storefront: a region with its products, prices and currency.
package struct StorefrontBody: Sendable, Hashable, Codable {
    /// The id, which is currently the same as ``countryCode``.
    package var id: String
    /// The region as an ISO 3166-1 alpha-2 code.
    package var countryCode: String
    /// The ISO 4217 code of the currency of all prices.
    package var currency: String
    /// Whether the region is a guess, because the account or the session is missing or has no region.
    package var isGuess: Bool

    private enum CodingKeys: String, CodingKey {
        case id, currency
        case countryCode = "country_code"
        case isGuess = "is_guess"
    }

    /// Creates the body.
    package init(id: String, countryCode: String, currency: String, isGuess: Bool) {
        self.id = id
        self.countryCode = countryCode
        self.currency = currency
        self.isGuess = isGuess
    }
}
