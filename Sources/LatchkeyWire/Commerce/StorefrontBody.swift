/// A storefront, which determines the available products, the prices and the currency for a region.
package struct StorefrontBody: AnswerBody, DocumentedBody, Hashable {
    /// The storefront's id, which is currently the same as ``countryCode``.
    package var id: String
    /// The region's ISO 3166-1 alpha-2 code.
    package var countryCode: String
    /// The ISO 4217 code of the currency that all prices are in.
    package var currency: String
    /// Whether the user isn't logged in or the account's region isn't known.
    package var isGuess: Bool

    package enum CodingKeys: String, CodingKey, CaseIterable {
        case id, currency
        case countryCode = "country_code"
        case isGuess = "is_guess"
    }

    package static let schema = JSONSchema.component(
        "Storefront",
        summary: "A region in which products are sold.",
        members: [
            .required(CodingKeys.id, .text),
            .required(CodingKeys.countryCode, .countryCode),
            .required(CodingKeys.currency, .currencyCode),
            .required(CodingKeys.isGuess, .boolean),
        ]
    )

    package init(id: String, countryCode: String, currency: String, isGuess: Bool) {
        self.id = id
        self.countryCode = countryCode
        self.currency = currency
        self.isGuess = isGuess
    }
}
