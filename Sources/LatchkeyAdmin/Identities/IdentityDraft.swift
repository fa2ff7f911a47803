import LatchkeyAccounts
import LatchkeyModel
import LatchkeyServerKit

/// The properties of an identity that an operator creates or replaces.
///
/// When a draft replaces an identity, `nil` removes the metadata and the external id, but leaves the schema,
/// the state and the password unchanged.
package struct IdentityDraft: Sendable {
    /// A password in the request, as plain text or as a hash.
    enum Password: Sendable {
        /// A password in plain text, which is hashed by the server.
        case plain(Secret)

        /// A hash imported from another system, with parameters within the limits of this server.
        case hashed(StoredHash)
    }

    /// The verification status of an address.
    struct Address: Sendable {
        /// The normalized phone number or e-mail address.
        let value: String
        /// Whether the address is verified, according to the member `verified` or the status `completed`.
        let isVerified: Bool
        /// The status in the request, or `pending` if it is missing.
        let status: Identity.VerifiableAddress.Status
    }

    /// The id of the schema; `nil` uses the identity's current schema, or the default schema for a new
    /// identity.
    var schemaID: String?

    /// The traits, which are not validated yet; `nil` is treated as an empty object.
    var traits: OrderedJSON?

    /// The state; `nil` leaves the current state unchanged, and makes a new identity active.
    var state: Identity.State?

    /// The metadata that the user can read, as JSON; `nil` for none.
    var publicMetadata: [UInt8]?
    /// The metadata for operators only, as JSON; `nil` for none.
    var adminMetadata: [UInt8]?
    /// The id in another system, unique on this server and at most 255 bytes long; `nil` for none.
    var externalID: String?

    /// The password; `nil` leaves the current password unchanged.
    var password: Password?

    /// The verification status of addresses, of which those that are not in the traits are ignored.
    var addresses: [Address] = []

    /// Whether all verifiable addresses are marked as verified, which Kratos does not support.
    var vouches = false

    /// Whether the password must meet the policy of the schema.
    ///
    /// In Kratos, operators may set any password.
    var checksPassword = false
}
