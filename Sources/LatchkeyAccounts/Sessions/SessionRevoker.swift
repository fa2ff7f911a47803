package import LatchkeyModel
package import LatchkeyServerKit

/// Revokes sessions, and records each revocation in the audit log in the same transaction.
package struct SessionRevoker: Sendable {
    private let audit: AuditLog
    private let database: any Database

    /// Creates an instance.
    ///
    /// - Parameters:
    ///   - audit: The audit log that creates the events.
    ///   - database: The database. Every call uses its own transaction.
    package init(audit: AuditLog, database: any Database) {
        self.audit = audit
        self.database = database
    }

    /// Permanently revokes a session, which invalidates all of its tokens.
    ///
    /// Revoking a session again has no effect. The session's certificates aren't affected.
    ///
    /// - Parameters:
    ///   - session: The session's id.
    ///   - identity: The id of the identity that owns the session, which is recorded in the audit log.
    ///   - action: The action to record.
    ///   - actor: The kind of caller. By default, the caller is the user.
    ///   - context: The request. The request's time and client address are recorded.
    /// - Throws: ``DatabaseError``.
    package func end(
        _ session: Identifier,
        of identity: Identifier,
        as action: AuditAction,
        by actor: AuditEvent.Actor = .user,
        in context: RequestContext
    ) async throws {
        let now = context.now
        let event = audit.event(
            action,
            of: identity,
            by: actor,
            in: context,
            about: session.description,
            at: now
        )
        try await database.transaction { transaction in
            guard try SessionRepository.revoke(session, at: now, in: transaction) else { return }
            try AuditLog.append(event, in: transaction)
        }
    }
}
