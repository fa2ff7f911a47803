/// The stable name of an audited action on an account, as stored and returned by the admin API.
package struct AuditAction: RawRepresentable, Hashable, Sendable {
    package let rawValue: String

    package init(rawValue: String) {
        self.rawValue = rawValue
    }

    package static let created = AuditAction(rawValue: "identity.created")
    package static let imported = AuditAction(rawValue: "identity.imported")
    package static let disabled = AuditAction(rawValue: "identity.disabled")
    package static let enabled = AuditAction(rawValue: "identity.enabled")
    package static let deleted = AuditAction(rawValue: "identity.deleted")
    package static let traitsChanged = AuditAction(rawValue: "traits.changed")
    package static let metadataChanged = AuditAction(rawValue: "metadata.changed")
    package static let addressVerified = AuditAction(rawValue: "address.verified")
    /// An address lost its roles: its owner proved it on another account, or the operator released it.
    package static let addressReleased = AuditAction(rawValue: "address.released")
    /// The owner of one of its addresses took the account over.
    package static let accountReclaimed = AuditAction(rawValue: "account.reclaimed")
    /// A notice was not sent as a text message, because the daily limit of the account was reached.
    package static let noticeWithheld = AuditAction(rawValue: "notice.withheld")
    package static let deviceEnrolled = AuditAction(rawValue: "device.enrolled")
    package static let certificateRenewed = AuditAction(rawValue: "certificate.renewed")
    package static let passwordChanged = AuditAction(rawValue: "password.changed")
    package static let passwordRemoved = AuditAction(rawValue: "password.removed")
    /// A wrong password was entered, for the first time on this account and network within an hour.
    package static let loginFailed = AuditAction(rawValue: "login.failed")
    /// The first guess at a code was wrong.
    package static let codeWrong = AuditAction(rawValue: "code.wrong")
    /// A rate limit refused an event; recorded at most once an hour for each limit, subject and node.
    package static let limitReached = AuditAction(rawValue: "limit.reached")
    /// A session was exchanged for a token pair for the first time.
    package static let tokensIssued = AuditAction(rawValue: "tokens.issued")
    package static let noticeSent = AuditAction(rawValue: "notice.sent")
    package static let loggedIn = AuditAction(rawValue: "login")
    package static let loggedOut = AuditAction(rawValue: "logout")
    package static let recovered = AuditAction(rawValue: "recovery")
    package static let recoveryCodeMade = AuditAction(rawValue: "recovery.code")
    package static let sessionRevoked = AuditAction(rawValue: "session.revoked")
    package static let sessionsRevoked = AuditAction(rawValue: "sessions.revoked")
    /// The server detected the reuse of a refresh token whose successor was used, so that two clients hold
    /// it.
    package static let tokenReused = AuditAction(rawValue: "token.reused")
    package static let sessionExtended = AuditAction(rawValue: "session.extended")
    package static let certificateRevoked = AuditAction(rawValue: "certificate.revoked")
}
