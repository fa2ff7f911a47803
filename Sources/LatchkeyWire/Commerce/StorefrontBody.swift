/// A storefront, which determines the available products, the prices and the currency for a region.
package struct StorefrontBody: AnswerBody, Hashable, Codable {
    /// The storefront's ID.
    ///
    /// Currently, this is the same as ``countryCode``.
    package var id: String
    /// The region's ISO 3166-1 alpha-2 code.
    package var countryCode: String
    /// The ISO 4217 code of the currency that all prices are in.
    package var currency: String
    /// Whether the region had to be guessed, because the user isn't logged in or the account's region isn't
    /// known.
    package var isGuess: Bool

    private enum CodingKeys: String, CodingKey {
        case id, currency
        case countryCode = "country_code"
        case isGuess = "is_guess"
    }

    /// Creates a storefront with the given values.
    package init(id: String, countryCode: String, currency: String, isGuess: Bool) {
        self.id = id
        self.countryCode = countryCode
        self.currency = currency
        self.isGuess = isGuess
    }
}
