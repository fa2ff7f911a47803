package import LatchkeyAccounts

/// The subject of each of these events is the client's id.
extension AuditAction {
    /// A user authorized a client.
    package static let authorized = AuditAction(rawValue: "client.authorized")
    /// A code or a refresh token was presented again after its use, which ended the grant.
    package static let grantReused = AuditAction(rawValue: "grant.reused")
    /// A client presented a code of another client, or without the values of its request.
    package static let codeRefused = AuditAction(rawValue: "code.refused")
    /// A client revoked its grant.
    package static let grantRevoked = AuditAction(rawValue: "grant.revoked")
    /// A first-party client exchanged a grant for a session.
    package static let grantExchanged = AuditAction(rawValue: "grant.exchanged")
    /// An app got a code with which a browser continues its session.
    package static let handoverBegun = AuditAction(rawValue: "handover.begun")
    /// A browser continued the session of an app.
    package static let handoverCompleted = AuditAction(rawValue: "handover.completed")
    /// A user or an operator revoked the consent for a client, which ended its grants.
    package static let consentRevoked = AuditAction(rawValue: "consent.revoked")
}
