/// The stable name of an audited action on an account, as stored and returned by the admin API.
package struct AuditDeed: RawRepresentable, Hashable, Sendable {
    package let rawValue: String

    package init(rawValue: String) {
        self.rawValue = rawValue
    }

    package static let created = AuditDeed(rawValue: "identity.created")
    package static let imported = AuditDeed(rawValue: "identity.imported")
    package static let disabled = AuditDeed(rawValue: "identity.disabled")
    package static let enabled = AuditDeed(rawValue: "identity.enabled")
    package static let deleted = AuditDeed(rawValue: "identity.deleted")
    package static let traitsChanged = AuditDeed(rawValue: "traits.changed")
    package static let metadataChanged = AuditDeed(rawValue: "metadata.changed")
    package static let addressVerified = AuditDeed(rawValue: "address.verified")
    /// An address lost its roles: its owner proved it on another account, or the operator released it.
    package static let addressReleased = AuditDeed(rawValue: "address.released")
    /// The owner of one of its addresses took the account over.
    package static let accountReclaimed = AuditDeed(rawValue: "account.reclaimed")
    /// A notice was not sent as a text message, because the daily limit of the account was reached.
    package static let noticeWithheld = AuditDeed(rawValue: "notice.withheld")
    package static let deviceEnrolled = AuditDeed(rawValue: "device.enrolled")
    package static let certificateRenewed = AuditDeed(rawValue: "certificate.renewed")
    package static let passwordChanged = AuditDeed(rawValue: "password.changed")
    package static let passwordRemoved = AuditDeed(rawValue: "password.removed")
    /// A wrong password was entered, for the first time on this account and network within an hour.
    package static let loginFailed = AuditDeed(rawValue: "login.failed")
    /// The first guess at a code was wrong.
    package static let codeWrong = AuditDeed(rawValue: "code.wrong")
    /// A rate limit refused an event; recorded at most once an hour for each limit, subject and node.
    package static let limitReached = AuditDeed(rawValue: "limit.reached")
    /// A session was exchanged for a token pair for the first time.
    package static let tokensIssued = AuditDeed(rawValue: "tokens.issued")
    package static let noticeSent = AuditDeed(rawValue: "notice.sent")
    package static let loggedIn = AuditDeed(rawValue: "login")
    package static let loggedOut = AuditDeed(rawValue: "logout")
    package static let recovered = AuditDeed(rawValue: "recovery")
    package static let recoveryCodeMade = AuditDeed(rawValue: "recovery.code")
    package static let sessionRevoked = AuditDeed(rawValue: "session.revoked")
    package static let sessionsRevoked = AuditDeed(rawValue: "sessions.revoked")
    /// The server detected the reuse of a refresh token whose successor was used, so that two clients hold
    /// it.
    package static let tokenReused = AuditDeed(rawValue: "token.reused")
    package static let sessionExtended = AuditDeed(rawValue: "session.extended")
    package static let certificateRevoked = AuditDeed(rawValue: "certificate.revoked")
}
