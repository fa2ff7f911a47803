import LatchkeyModel

extension ServerContext {
    /// Notes a deed for the audit log.
    ///
    /// - Parameters:
    ///   - deed: What was done.
    ///   - identity: The account that it was done to.
    ///   - actor: Who did it.
    ///   - exchange: The request that did it.
    ///   - subject: What else it was about.
    ///   - now: The time.
    /// - Returns: The event, to be appended in the transaction of the deed.
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
