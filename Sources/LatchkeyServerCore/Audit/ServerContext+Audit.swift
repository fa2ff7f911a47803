import LatchkeyModel

extension ServerContext {
    /// Creates an event for the audit log.
    ///
    /// - Parameters:
    ///   - deed: The action.
    ///   - identity: The id of the account.
    ///   - actor: The kind of caller; the user by default.
    ///   - exchange: The request that caused the action.
    ///   - subject: The object of the action, beyond the account.
    ///   - now: The time of the action.
    /// - Returns: The event, to be stored in the transaction of the action.
    func event(
        _ deed: AuditDeed,
        of identity: Identifier,
        by actor: AuditEvent.Actor = .person,
        in exchange: Exchange,
        about subject: String? = nil,
        at now: Timestamp
    ) -> AuditEvent {
        AuditEvent(deed, of: identity, by: actor, in: exchange, about: subject, at: now, random: random)
    }
}
