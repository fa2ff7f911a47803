import LatchkeyModel

/// What an operator wants an identity to be.
package struct IdentityDraft: Sendable {
    /// A password that comes with an identity.
    enum Password: Sendable {
        case plain(Secret)

        /// One that another system has hashed.
        case hashed(StoredHash)
    }

    /// What is known of an address.
    struct Address: Sendable {
        let value: String
        let isVerified: Bool
        let status: Identity.VerifiableAddress.Status
    }

    /// The name of its schema; nothing for the one that it has, or the default one.
    var schemaID: String?

    var traits: OrderedJSON?

    /// Whether it may be used; nothing for the state that it has.
    var state: Identity.State?

    var publicMetadata: [UInt8]?
    var adminMetadata: [UInt8]?
    var externalID: String?

    /// Its password; nothing leaves the one that it has.
    var password: Password?

    /// What is known of its addresses; those that its traits do not hold are passed over.
    var addresses: [Address] = []

    /// Whether the operator vouches for all its addresses; not in Kratos.
    var vouches = false

    /// Whether its password must meet the policy of its schema; not in Kratos, whose operators may choose any.
    var checksPassword = false
}
