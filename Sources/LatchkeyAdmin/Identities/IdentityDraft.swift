import LatchkeyAccounts
import LatchkeyModel
import LatchkeyServerKit

/// The properties of an identity that an operator creates or replaces.
///
/// If a draft replaces an identity, a value of `nil` removes the metadata and the external id. For the
/// schema, the state and the password, `nil` means that the current value is kept.
package struct IdentityDraft: Sendable {
    /// A password in the request, as plain text or as a hash.
    enum Password: Sendable {
        /// A plain-text password.
        ///
        /// The server hashes the password before storing it.
        case plain(Secret)

        /// A hash that was imported from another system.
        ///
        /// The hash's parameters are within this server's limits.
        case hashed(StoredHash)
    }

    /// The id of the schema.
    ///
    /// If the id is `nil`, an existing identity keeps its schema and a new identity uses the default schema.
    var schemaID: String?

    /// The traits, which haven't been validated yet.
    ///
    /// `nil` is treated as an empty object.
    var traits: OrderedJSON?

    /// The state.
    ///
    /// If the state is `nil`, an existing identity keeps its state and a new identity is active.
    var state: Identity.State?

    /// The metadata that the user can read, as JSON.
    var publicMetadata: [UInt8]?
    /// The metadata that only operators can read, as JSON.
    var adminMetadata: [UInt8]?
    /// The identity's id in another system.
    ///
    /// The id must be unique on this server and at most 255 bytes long.
    var externalID: String?

    /// The password.
    ///
    /// If the password is `nil`, the current one is kept.
    var password: Password?

    /// The verification of addresses.
    ///
    /// All of them must be verifiable addresses of the identity. For addresses that aren't listed, the
    /// verification doesn't change.
    var verifiable: [DraftedAddress] = []

    /// The addresses for recovery that the draft lists.
    ///
    /// They are derived from the traits, so all of them must be recovery addresses of the identity already.
    var recovery: [DraftedAddress] = []

    /// Whether all verifiable addresses are marked as verified.
    ///
    /// Kratos doesn't have this option.
    var vouches = false

    /// Whether the password must comply with the schema's password policy.
    ///
    /// In Kratos, operators can set any password, so this is `false` by default.
    var checksPassword = false
}
