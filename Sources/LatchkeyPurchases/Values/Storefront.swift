import LatchkeyWire

/// The region that determines which products are sold and at which prices.
public struct Storefront: Hashable, Sendable {
    /// The storefront's identifier.
    public var id: String

    /// The region code (ISO 3166-1 alpha-2), such as `AT`.
    public var countryCode: String

    /// The currency of the prices, as an ISO 4217 code.
    public var currency: String

    /// Whether the region was guessed because no user is logged in or the account has no region.
    public var isGuess: Bool

    /// Creates a storefront.
    public init(id: String, countryCode: String, currency: String, isGuess: Bool) {
        self.id = id
        self.countryCode = countryCode
        self.currency = currency
        self.isGuess = isGuess
    }
}

extension Storefront {
    init(_ body: StorefrontBody) {
        self.init(
            id: body.id,
            countryCode: body.countryCode,
            currency: body.currency,
            isGuess: body.isGuess
        )
    }
}
