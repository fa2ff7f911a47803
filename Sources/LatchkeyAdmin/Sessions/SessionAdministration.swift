import LatchkeyAccounts
import LatchkeyModel
import LatchkeyServerKit

/// The operations that operators can perform on sessions.
///
/// Each operation is recorded in the audit log, in the same transaction.
struct SessionAdministration: Sendable {
    private let revoker: SessionRevoker
    private let data: AccountData
    private let sessionSettings: SessionSettings
    private let database: any Database
    private let random: any RandomSource

    /// Creates a service for the given database.
    ///
    /// - Parameters:
    ///   - revoker: Revokes single sessions.
    ///   - data: The data that other modules store for sessions.
    ///   - sessionSettings: Determines the lifespan of extended sessions.
    ///   - database: The database. Changes to several sessions are made in one transaction.
    ///   - random: The random source for the ids of audit events.
    init(
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

    /// Revokes a session, unless it has already been revoked.
    ///
    /// - Parameters:
    ///   - found: The session, which may have expired.
    ///   - context: The request context, which contains the time and the client address to record.
    /// - Throws: ``DatabaseError``.
    func revoke(_ found: AuthenticatedSession, in context: RequestContext) async throws {
        let session = found.session
        try await revoker
            .end(session.id, of: session.identityID, as: .sessionRevoked, by: .operator, in: context)
    }

    /// Revokes all of an identity's sessions, including expired and provisional ones.
    ///
    /// All revoked sessions share a single audit event. If there were no sessions to revoke, no event is
    /// recorded.
    ///
    /// - Throws: ``ServerError`` with status 404 if the identity doesn't exist.
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

    /// Revokes or deletes several sessions in one transaction.
    ///
    /// Sessions are processed in ascending order of their ids, and unknown ids are skipped. An audit event is
    /// recorded for each session that changed.
    ///
    /// - Parameters:
    ///   - change: The action and the sessions it applies to.
    ///   - context: The request context.
    /// - Returns: The number of sessions that changed, and whether there may be more sessions to change. This
    ///   is only possible if the change applies to all sessions.
    /// - Throws: ``DatabaseError``. In this case, no sessions are changed.
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

    /// Returns the sessions that a change applies to, including revoked sessions, and their identities.
    ///
    /// If the change applies to all sessions, at most ``SessionBulkChange/batch`` sessions are returned.
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

    /// Revokes a session if it is active, or deletes a session in any state.
    ///
    /// Returns whether the session was revoked or deleted.
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

    /// Extends a session by a full lifespan from now, unless it has expired, was revoked or is provisional.
    ///
    /// A session that already lasts longer isn't changed. An audit event is recorded only if the session was
    /// extended.
    ///
    /// - Throws: ``DatabaseError``.
    func extend(_ found: AuthenticatedSession, in context: RequestContext) async throws {
        let session = found.session
        let end = context.now + sessionSettings.lifespan
        let event = event(.sessionExtended, of: session.identityID, about: session.id, in: context)
        try await database.transaction { transaction in
            guard
                try SessionRepository.extend(
                    session.id,
                    until: end,
                    settings: sessionSettings,
                    at: context.now,
                    in: transaction
                )
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
    /// A session was deleted from the database.
    static let sessionDeleted = AuditAction(rawValue: "session.deleted")
}
