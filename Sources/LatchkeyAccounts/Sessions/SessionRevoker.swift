package import LatchkeyModel
package import LatchkeyServerKit

/// Revokes sessions and records each revocation in the audit log in the same transaction.
package struct SessionRevoker: Sendable {
    private let audit: AuditLog
    private let database: any Database

    /// Creates the service.
    ///
    /// - Parameters:
    ///   - audit: The audit log, which creates the events.
    ///   - database: The database; each call uses its own transaction.
    package init(audit: AuditLog, database: any Database) {
        self.audit = audit
        self.database = database
    }

    /// Revokes a session permanently, which invalidates all of its tokens.
    ///
    /// A session that was already revoked does not change. The certificates of the session do not change
    /// either.
    ///
    /// - Parameters:
    ///   - session: The id of the session.
    ///   - identity: The id of the identity that owns the session, for the audit log.
    ///   - action: The action to record.
    ///   - actor: The kind of caller; the user by default.
    ///   - context: The request, whose time and client address are recorded.
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
