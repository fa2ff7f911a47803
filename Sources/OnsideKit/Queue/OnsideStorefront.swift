import Latchkey

/// The storefront of the user who is logged in.
public struct OnsideStorefront: Hashable, Sendable {
    /// The identifier of the storefront.
    public var id: String

    /// The user's region (ISO 3166-1 alpha-2), such as `US`; `ZZ` if the account has none.
    public var countryCode: String

    /// Creates a storefront.
    public init(id: String, countryCode: String) {
        self.id = id
        self.countryCode = countryCode
    }
}

extension OnsideStorefront {
    /// Creates the storefront of a session: the trait `region` of its account.
    init(_ session: UserSession) {
        let region = session.identity.traits["region"]?.text ?? "ZZ"
        self.init(id: region, countryCode: region)
    }
}
