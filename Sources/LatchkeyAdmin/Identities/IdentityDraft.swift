import LatchkeyAccounts
import LatchkeyModel
import LatchkeyServerKit

/// The properties of an identity that an operator creates or replaces.
///
/// In a replacement, `nil` removes the metadata and the external id, but leaves schema, state and password
/// unchanged.
package struct IdentityDraft: Sendable {
    /// A password in the request, as plain text or as a hash.
    enum Password: Sendable {
        case plain(Secret)

        /// A hash imported from another system.
        case hashed(StoredHash)
    }

    /// The verification status of an address.
    struct Address: Sendable {
        let value: String
        let isVerified: Bool
        let status: Identity.VerifiableAddress.Status
    }

    /// The id of the schema; `nil` for the current schema of the identity, or the default one of a new
    /// identity.
    var schemaID: String?

    var traits: OrderedJSON?

    /// The state; `nil` leaves the current state, or makes a new identity active.
    var state: Identity.State?

    var publicMetadata: [UInt8]?
    var adminMetadata: [UInt8]?
    var externalID: String?

    /// The password; `nil` leaves the current password unchanged.
    var password: Password?

    /// The verification status of addresses; addresses that are not in the traits are ignored.
    var addresses: [Address] = []

    /// Whether all verifiable addresses are marked as verified; not part of Kratos.
    var vouches = false

    /// Whether the password must fulfil the policy of the schema; not part of Kratos, where operators may set
    /// any password.
    var checksPassword = false
}
