package import LatchkeyAccounts
package import LatchkeyModel
package import LatchkeyServerKit

/// The operations that operators perform on sessions, each of which is recorded in the audit log in the same
/// transaction.
package struct SessionAdministration: Sendable {
    private let revoker: SessionRevoker
    private let data: AccountData
    private let sessionSettings: SessionSettings
    private let database: any Database
    private let random: any RandomSource

    /// Creates the service with the revoker and the database that its operations use.
    ///
    /// - Parameters:
    ///   - revoker: Revokes single sessions.
    ///   - data: The data about sessions that other modules store.
    ///   - sessionSettings: The session settings, whose lifespan applies to extended sessions.
    ///   - database: The database in which several sessions are changed in one transaction.
    ///   - random: The random source for the ids of audit events.
    package init(
        revoker: SessionRevoker,
        data: AccountData,
        sessionSettings: SessionSettings,
        database: any Database,
        random: any RandomSource
    ) {
        self.revoker = revoker
        self.data = data
        self.sessionSettings = sessionSettings
        self.database = database
        self.random = random
    }

    /// Revokes a session unless it was already revoked.
    ///
    /// - Parameters:
    ///   - found: The session as read from the database, which may have expired.
    ///   - context: The request, whose time and client address are recorded.
    /// - Throws: ``DatabaseError``.
    func revoke(_ found: SessionRepository.Found, in context: RequestContext) async throws {
        let session = found.session
        try await revoker
            .end(session.id, of: session.identityID, as: .sessionRevoked, by: .operator, in: context)
    }

    /// Revokes all sessions of an identity, including expired and provisional ones.
    ///
    /// A single audit event is recorded for all revoked sessions. If there was no session to revoke, no event
    /// is recorded.
    ///
    /// - Throws: ``ServerError`` with status 404 if the identity does not exist.
    func revokeAll(of identity: Identifier, in context: RequestContext) async throws {
        let event = event(.sessionsRevoked, of: identity, in: context)
        try await database.transaction { transaction in
            guard try IdentityRepository.load(identity, in: transaction) != nil else {
                throw ServerError.notFound
            }
            let ended = try SessionRepository.revokeAll(of: identity, at: context.now, in: transaction)
            if ended > 0 { try AuditLog.append(event, in: transaction) }
        }
    }

    /// Revokes or deletes many sessions in one transaction.
    ///
    /// Ids are processed in ascending order, and unknown ones are skipped. A separate audit event is recorded
    /// for each changed session.
    ///
    /// - Parameters:
    ///   - change: The action and the sessions to which it applies.
    ///   - context: The request.
    /// - Returns: The number of changed sessions, and whether another request may find more, which is
    ///   possible only if the change applies to all sessions.
    /// - Throws: ``DatabaseError``, in which case no session is changed.
    func manage(_ change: SessionBulkChange, in context: RequestContext) async throws -> (Int, hasMore: Bool)
    {
        try await database.transaction { transaction in
            let found = try Self.sessions(of: change, at: context.now, in: transaction)
            let action: AuditAction = change.action == .disable ? .sessionRevoked : .sessionDeleted
            var processed = 0
            for (session, identity) in found {
                guard try apply(change.action, to: session, at: context.now, in: transaction) else {
                    continue
                }
                processed += 1
                try AuditLog.append(
                    event(action, of: identity, about: session, in: context),
                    in: transaction
                )
            }
            if case .all = change.scope { return (processed, found.count == SessionBulkChange.batch) }
            return (processed, false)
        }
    }

    /// Returns the sessions that a change applies to, which may include revoked sessions, with their
    /// identities.
    ///
    /// The result is limited to ``SessionBulkChange/batch`` only if the change applies to all sessions.
    private static func sessions(
        of change: SessionBulkChange,
        at now: Timestamp,
        in transaction: borrowing Transaction
    ) throws -> [SessionRepository.Reference] {
        var found: [SessionRepository.Reference] = []
        switch change.scope {
        case .sessions(let ids):
            for id in ids { found += try SessionRepository.reference(to: id, in: transaction) }
        case .identities(let ids):
            for id in ids { found += try SessionRepository.references(of: id, in: transaction) }
        case .all:
            found = try SessionRepository.references(
                activeAt: change.action == .delete ? nil : now,
                limit: SessionBulkChange.batch,
                in: transaction
            )
        }
        return found
    }

    /// Revokes a session if it is active, or deletes it in any state, and returns whether it was revoked or
    /// deleted.
    private func apply(
        _ action: SessionBulkChange.Action,
        to session: Identifier,
        at now: Timestamp,
        in transaction: borrowing Transaction
    ) throws -> Bool {
        switch action {
        case .disable:
            try SessionRepository.revokeActive(session, at: now, in: transaction)
        case .delete:
            try SessionRepository.delete(session, with: data, in: transaction)
        }
    }

    /// Extends a session by a full lifespan from now, unless it is expired, revoked or provisional.
    ///
    /// A session whose current expiry is later is not changed either. An audit event is recorded only if the
    /// session was extended.
    ///
    /// - Throws: ``DatabaseError``.
    func extend(_ found: SessionRepository.Found, in context: RequestContext) async throws {
        let session = found.session
        let end = context.now + sessionSettings.lifespan
        let event = event(.sessionExtended, of: session.identityID, about: session.id, in: context)
        try await database.transaction { transaction in
            guard
                try SessionRepository.extend(session.id, until: end, at: context.now, in: transaction)
            else { return }
            try AuditLog.append(event, in: transaction)
        }
    }

    private func event(
        _ action: AuditAction,
        of identity: Identifier,
        about session: Identifier? = nil,
        in context: RequestContext
    ) -> AuditEvent {
        AuditEvent(
            action,
            of: identity,
            by: .operator,
            in: context,
            about: session?.description,
            at: context.now,
            random: random
        )
    }
}

extension AuditAction {
    /// The database row of a session was deleted.
    package static let sessionDeleted = AuditAction(rawValue: "session.deleted")
}
