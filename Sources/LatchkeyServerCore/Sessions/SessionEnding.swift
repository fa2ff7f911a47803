import LatchkeyModel

/// Ends sessions, and writes down in the same transaction who did it.
struct SessionEnding: Sendable {
    private let context: ServerContext

    init(_ context: ServerContext) {
        self.context = context
    }

    /// Ends a session for good, and all of its tokens with it; nothing happens to one that ended before.
    ///
    /// - Parameters:
    ///   - session: The session.
    ///   - identity: Whose it is.
    ///   - deed: What the audit log calls it.
    ///   - actor: Who does it.
    ///   - exchange: The request that does it.
    /// - Throws: ``DatabaseError``.
    func end(
        _ session: Identifier,
        of identity: Identifier,
        as deed: AuditDeed,
        by actor: AuditEvent.Actor = .person,
        in exchange: Exchange
    ) async throws {
        let now = exchange.now
        let event = context.event(
            deed,
            of: identity,
            by: actor,
            in: exchange,
            about: session.description,
            at: now
        )
        try await context.database.transaction { transaction in
            guard try SessionRepository.revoke(session, at: now, in: transaction) else { return }
            try AuditLog.append(event, in: transaction)
        }
    }
}
