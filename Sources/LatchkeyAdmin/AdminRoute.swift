/// The paths of the admin API.
///
/// The paths are the same as in Kratos and Hydra, except that they have no paths for the audit log and for
/// releasing addresses. All paths are relative to the root of the admin listener, and `{}` is a placeholder for one
/// path segment.
package enum AdminRoute {
    /// Lists identities (`GET`), creates an identity (`POST`) or creates up to 1000 identities (`PATCH`).
    package static let identities = "/admin/identities"
    /// Returns (`GET`), replaces (`PUT`), changes (`PATCH`) or deletes (`DELETE`) an identity.
    package static let identity = "/admin/identities/{}"
    /// Returns the identity that has the given external id.
    package static let identityByExternalID = "/admin/identities/by/external/{}"
    /// Deletes a credential of an identity.
    ///
    /// The second placeholder is the type of the credential, which must be `password`.
    package static let identityCredential = "/admin/identities/{}/credentials/{}"
    /// Lists (`GET`) or revokes (`DELETE`) an identity's sessions.
    package static let identitySessions = "/admin/identities/{}/sessions"
    /// Lists sessions (`GET`), or revokes or deletes several of them (`POST`).
    package static let sessions = "/admin/sessions"
    /// Returns (`GET`) or revokes (`DELETE`) a session.
    package static let session = "/admin/sessions/{}"
    /// Extends a session (`PATCH`).
    package static let sessionExtension = "/admin/sessions/{}/extend"
    /// Lists the messages in the outbox, without their contents.
    package static let messages = "/admin/courier/messages"
    /// Returns a message in the outbox, without its contents.
    package static let message = "/admin/courier/messages/{}"
    /// Releases an address from the accounts that have it, so that its new owner can use it (`POST`).
    ///
    /// This endpoint isn't part of Kratos's API.
    package static let releasedAddresses = "/admin/addresses/release"
    /// Creates a recovery code and returns it to the operator instead of sending it to the user (`POST`).
    package static let recoveryCode = "/admin/recovery/code"
    /// Lists OAuth clients (`GET`) or registers a client (`POST`), as in Hydra.
    package static let clients = "/admin/clients"
    /// Returns (`GET`), replaces (`PUT`), changes (`PATCH`) or deletes (`DELETE`) an OAuth client.
    package static let client = "/admin/clients/{}"
    /// Replaces the lifespans of a client's tokens.
    package static let clientLifespans = "/admin/clients/{}/lifespans"
    /// Gives a client a new secret (`POST`), or ends the validity of the earlier one (`DELETE`).
    package static let clientSecretRotation = "/admin/clients/{}/secrets/rotate"
    /// Lists the events in the audit log.
    ///
    /// This endpoint isn't part of Kratos's API.
    package static let audit = "/admin/audit"
}
