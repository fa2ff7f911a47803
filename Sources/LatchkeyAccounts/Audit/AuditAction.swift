/// The name of an audited action, as stored in the database and returned by the admin API.
///
/// Never change or reuse a name, because stored events refer to it.
package struct AuditAction: RawRepresentable, Hashable, Sendable {
    /// The name, such as `identity.created`.
    package let rawValue: String

    /// Creates an action from a stored name.
    ///
    /// The name may be unknown to this version of the server.
    package init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// An account was created by registration or by an operator.
    package static let created = AuditAction(rawValue: "identity.created")
    /// An account was imported from another system.
    package static let imported = AuditAction(rawValue: "identity.imported")
    /// An operator deactivated an account.
    package static let disabled = AuditAction(rawValue: "identity.disabled")
    /// An operator reactivated an account.
    package static let enabled = AuditAction(rawValue: "identity.enabled")
    /// An account was deleted.
    ///
    /// The event's subject contains keyed hashes of the account's identifiers.
    package static let deleted = AuditAction(rawValue: "identity.deleted")
    /// A user deleted their account, which will be erased after a delay.
    package static let deletionScheduled = AuditAction(rawValue: "deletion.scheduled")
    /// The deletion of an account was cancelled because the user logged in again.
    package static let deletionCancelled = AuditAction(rawValue: "deletion.cancelled")
    /// A user exported their account's data.
    package static let exported = AuditAction(rawValue: "account.exported")
    /// The traits of an account were changed.
    ///
    /// The event doesn't contain the values of the traits.
    package static let traitsChanged = AuditAction(rawValue: "traits.changed")
    /// The region of an account was changed.
    ///
    /// The event doesn't contain the region.
    package static let regionChanged = AuditAction(rawValue: "region.changed")
    /// An operator changed an account's public or admin metadata.
    package static let metadataChanged = AuditAction(rawValue: "metadata.changed")
    /// An address of an account was verified, or an operator vouched for it.
    package static let addressVerified = AuditAction(rawValue: "address.verified")
    /// An address can no longer be used for login, verification and recovery on this account, because its
    /// owner has proven it on another account, the reader of a mail has reported the claim, or an operator has
    /// released it.
    package static let addressReleased = AuditAction(rawValue: "address.released")
    /// The reader of a mail reported that another user had asked for its link, which ended the flow.
    ///
    /// The event's subject is the kind of flow.
    package static let linkReported = AuditAction(rawValue: "link.reported")
    /// The owner of one of the account's addresses took over the account.
    package static let accountReclaimed = AuditAction(rawValue: "account.reclaimed")
    /// A notice was not sent by text message, because the limit on text messages had been reached.
    package static let noticeWithheld = AuditAction(rawValue: "notice.withheld")
    /// A session's first certificate was issued.
    ///
    /// The event's subject is the certificate's serial number.
    package static let deviceEnrolled = AuditAction(rawValue: "device.enrolled")
    /// Another certificate was issued for the same key.
    ///
    /// The event's subject is the certificate's serial number.
    package static let certificateRenewed = AuditAction(rawValue: "certificate.renewed")
    /// A password was set or replaced.
    package static let passwordChanged = AuditAction(rawValue: "password.changed")
    /// A password was removed and not replaced.
    package static let passwordRemoved = AuditAction(rawValue: "password.removed")
    /// A user entered a wrong password.
    ///
    /// The event is recorded only if no earlier login to the account from the same network has failed within
    /// the last hour. A successful login clears the earlier failures.
    package static let loginFailed = AuditAction(rawValue: "login.failed")
    /// A user's first attempt to enter a code was wrong.
    package static let codeWrong = AuditAction(rawValue: "code.wrong")
    /// A rate limit was reached.
    ///
    /// Recorded at most once an hour for each limit, subject and node.
    package static let limitReached = AuditAction(rawValue: "limit.reached")
    /// A session token was exchanged for a token pair for the first time.
    package static let tokensIssued = AuditAction(rawValue: "tokens.issued")
    /// A security notice about the account was queued in the outbox.
    package static let noticeSent = AuditAction(rawValue: "notice.sent")
    /// A user logged in and a session was created.
    package static let loggedIn = AuditAction(rawValue: "login")
    /// A user logged out of the current session.
    package static let loggedOut = AuditAction(rawValue: "logout")
    /// A user recovered their account with a code.
    package static let recovered = AuditAction(rawValue: "recovery")
    /// An operator created a recovery code.
    package static let recoveryCodeMade = AuditAction(rawValue: "recovery.code")
    /// A single session was revoked.
    ///
    /// The event's subject is the session's id.
    package static let sessionRevoked = AuditAction(rawValue: "session.revoked")
    /// A session ended because the account had too many sessions.
    ///
    /// The event's subject is the session's id.
    package static let sessionDisplaced = AuditAction(rawValue: "session.displaced")
    /// Several of the account's sessions were revoked together.
    package static let sessionsRevoked = AuditAction(rawValue: "sessions.revoked")
    /// A refresh token was reused after its successor had been used, so two clients must have the token.
    package static let tokenReused = AuditAction(rawValue: "token.reused")
    /// A session's expiry date was extended.
    package static let sessionExtended = AuditAction(rawValue: "session.extended")
    /// A certificate was revoked together with its session.
    ///
    /// The event's subject is the certificate's serial number.
    package static let certificateRevoked = AuditAction(rawValue: "certificate.revoked")
}
