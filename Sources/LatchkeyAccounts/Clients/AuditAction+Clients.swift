/// The subject of each of these events is the client's id.
extension AuditAction {
    /// An operator registered an OAuth client.
    package static let clientCreated = AuditAction(rawValue: "client.created")
    /// An operator changed a client's metadata.
    package static let clientChanged = AuditAction(rawValue: "client.changed")
    /// An operator disabled a client, which ended its grants.
    package static let clientDisabled = AuditAction(rawValue: "client.disabled")
    package static let clientEnabled = AuditAction(rawValue: "client.enabled")
    /// An operator deleted a client, which ended its grants.
    package static let clientDeleted = AuditAction(rawValue: "client.deleted")
    /// A client got a new secret, and earlier secrets are no longer valid.
    package static let clientSecretChanged = AuditAction(rawValue: "client.secret.changed")
    /// A client got a new secret, and the earlier one is valid for some time.
    package static let clientSecretRotated = AuditAction(rawValue: "client.secret.rotated")
    /// The secret before the last rotation is no longer valid.
    package static let clientSecretRevoked = AuditAction(rawValue: "client.secret.revoked")
}
