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
        /// A password in plain text, which is hashed by the server.
        case plain(Secret)

        /// A hash imported from another system; its parameters are within the limits of this server.
        case hashed(StoredHash)
    }

    /// The verification status of an address.
    struct Address: Sendable {
        /// The normalized phone number or e-mail address.
        let value: String
        /// Whether the address is verified, by the member `verified` or by the status `completed`.
        let isVerified: Bool
        /// The status in the request; `pending` if it is missing.
        let status: Identity.VerifiableAddress.Status
    }

    /// The id of the schema; `nil` for the current schema of the identity, or the default one of a new
    /// identity.
    var schemaID: String?

    /// The traits, which are not validated yet; `nil` counts as an empty object.
    var traits: OrderedJSON?

    /// The state; `nil` leaves the current state, or makes a new identity active.
    var state: Identity.State?

    /// The metadata that the user can read, as JSON; `nil` for none.
    var publicMetadata: [UInt8]?
    /// The metadata for operators only, as JSON; `nil` for none.
    var adminMetadata: [UInt8]?
    /// The id in another system, unique on this server and at most 255 bytes long; `nil` for none.
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
