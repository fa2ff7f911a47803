/// The paths of the admin API, which are those of Kratos except for the audit log and the release of
/// addresses.
package enum AdminRoute {
    package static let identities = "/admin/identities"
    package static let identity = "/admin/identities/{}"
    package static let identityByExternalID = "/admin/identities/by/external/{}"
    package static let identityCredential = "/admin/identities/{}/credentials/{}"
    package static let identitySessions = "/admin/identities/{}/sessions"
    package static let sessions = "/admin/sessions"
    package static let session = "/admin/sessions/{}"
    package static let sessionExtension = "/admin/sessions/{}/extend"
    package static let messages = "/admin/courier/messages"
    package static let message = "/admin/courier/messages/{}"
    package static let releasedAddresses = "/admin/addresses/release"
    package static let recoveryCode = "/admin/recovery/code"
    package static let audit = "/admin/audit"
}
