import Latchkey

/// The storefront of the logged-in user.
public struct OnsideStorefront: Hashable, Sendable {
    /// The storefront's identifier.
    public var id: String

    /// The user's region (ISO 3166-1 alpha-2), such as `US`, or `ZZ` if the account has no region.
    public var countryCode: String

    /// Creates a storefront.
    public init(id: String, countryCode: String) {
        self.id = id
        self.countryCode = countryCode
    }
}

extension OnsideStorefront {
    /// Creates a storefront from the `region` trait of the session's account.
    init(_ session: UserSession) {
        let region = session.identity.traits["region"]?.text ?? "ZZ"
        self.init(id: region, countryCode: region)
    }
}
