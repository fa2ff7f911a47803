/// The stable name of an audited action on an account, as stored in the database and returned by the admin
/// API.
///
/// Names are never changed or reused, because stored events refer to them.
package struct AuditAction: RawRepresentable, Hashable, Sendable {
    /// The name, such as `identity.created`.
    package let rawValue: String

    /// Creates an action from a stored name, which need not be known to this version of the server.
    package init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// An account was created by registration or by the operator.
    package static let created = AuditAction(rawValue: "identity.created")
    /// An account was created by an import from another system.
    package static let imported = AuditAction(rawValue: "identity.imported")
    /// The operator deactivated an account.
    package static let disabled = AuditAction(rawValue: "identity.disabled")
    /// The operator reactivated an account.
    package static let enabled = AuditAction(rawValue: "identity.enabled")
    /// An account was deleted; the subject contains keyed hashes of its identifiers.
    package static let deleted = AuditAction(rawValue: "identity.deleted")
    /// The user has deleted the account, which will be erased after a delay.
    package static let deletionScheduled = AuditAction(rawValue: "deletion.scheduled")
    /// A login has cancelled the deletion of the account.
    package static let deletionCancelled = AuditAction(rawValue: "deletion.cancelled")
    /// The user has exported the data about the account.
    package static let exported = AuditAction(rawValue: "account.exported")
    /// The traits of an account were changed; the event does not contain their values.
    package static let traitsChanged = AuditAction(rawValue: "traits.changed")
    /// The region of the account was changed; the event does not contain it.
    package static let regionChanged = AuditAction(rawValue: "region.changed")
    /// The operator changed public or admin metadata.
    package static let metadataChanged = AuditAction(rawValue: "metadata.changed")
    /// An address of the account was verified, or the operator vouched for it.
    package static let addressVerified = AuditAction(rawValue: "address.verified")
    /// An address lost its roles (login, verification and recovery), because its owner proved it on another
    /// account or because the operator released it.
    package static let addressReleased = AuditAction(rawValue: "address.released")
    /// The account was taken over by the owner of one of its addresses.
    package static let accountReclaimed = AuditAction(rawValue: "account.reclaimed")
    /// A notice was not sent as a text message, because a limit for text messages was reached.
    package static let noticeWithheld = AuditAction(rawValue: "notice.withheld")
    /// The first certificate of a session was issued; the subject is its serial number.
    package static let deviceEnrolled = AuditAction(rawValue: "device.enrolled")
    /// A further certificate for the same key was issued; the subject is its serial number.
    package static let certificateRenewed = AuditAction(rawValue: "certificate.renewed")
    /// The password was set or replaced.
    package static let passwordChanged = AuditAction(rawValue: "password.changed")
    /// The password was removed and not replaced.
    package static let passwordRemoved = AuditAction(rawValue: "password.removed")
    /// A wrong password was entered, for the first time within an hour for this account and network.
    package static let loginFailed = AuditAction(rawValue: "login.failed")
    /// A wrong code was entered as the first guess at that code.
    package static let codeWrong = AuditAction(rawValue: "code.wrong")
    /// A rate limit rejected an event; recorded at most once an hour for each limit, subject and node.
    package static let limitReached = AuditAction(rawValue: "limit.reached")
    /// A session token was exchanged for a token pair for the first time.
    package static let tokensIssued = AuditAction(rawValue: "tokens.issued")
    /// A security notice about the account was stored in the outbox.
    package static let noticeSent = AuditAction(rawValue: "notice.sent")
    /// A session was opened by a login.
    package static let loggedIn = AuditAction(rawValue: "login")
    /// The user ended the current session.
    package static let loggedOut = AuditAction(rawValue: "logout")
    /// The account was recovered with a code.
    package static let recovered = AuditAction(rawValue: "recovery")
    /// The operator created a recovery code.
    package static let recoveryCodeMade = AuditAction(rawValue: "recovery.code")
    /// A single session was revoked; the subject is its id.
    package static let sessionRevoked = AuditAction(rawValue: "session.revoked")
    /// Several sessions of the account were revoked at once.
    package static let sessionsRevoked = AuditAction(rawValue: "sessions.revoked")
    /// A refresh token was used again after its successor had been used, so two clients hold the token.
    package static let tokenReused = AuditAction(rawValue: "token.reused")
    /// The expiry of a session was extended.
    package static let sessionExtended = AuditAction(rawValue: "session.extended")
    /// A certificate was revoked together with its session; the subject is the certificate's serial number.
    package static let certificateRevoked = AuditAction(rawValue: "certificate.revoked")
}
