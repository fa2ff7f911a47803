import LatchkeyModel
import LatchkeyServerKit
import LatchkeyWire

/// The routes that let users list and revoke their other sessions (`contract/kratos.md`, 1.5).
///
/// Revocations are recorded in the audit log in the same transaction. The transaction also locks the current
/// session, so a session that has just ended can't revoke other sessions.
struct OwnSessionEndpoints: Sendable {
    private let database: any Database
    private let random: any RandomSource
    private let authenticator: SessionAuthenticator
    private let directory: SessionDirectory
    private let writer: IdentityWriter

    /// Creates the routes.
    ///
    /// - Parameters:
    ///   - authenticator: Authenticates session tokens. Access tokens are rejected.
    ///   - directory: Reads pages of sessions.
    ///   - writer: Writes sessions as JSON.
    ///   - database: The database that contains the sessions.
    ///   - random: The random source for audit event ids.
    init(
        authenticator: SessionAuthenticator,
        directory: SessionDirectory,
        writer: IdentityWriter,
        database: any Database,
        random: any RandomSource
    ) {
        self.authenticator = authenticator
        self.directory = directory
        self.writer = writer
        self.database = database
        self.random = random
    }

    /// The routes that this type handles.
    ///
    /// `GET /sessions` lists the other sessions, `DELETE /sessions` revokes all of them, and
    /// `DELETE /sessions/{id}` revokes one of them.
    var endpoints: [Endpoint] {
        [
            Endpoint(
                .get,
                Route.sessions,
                accepts: .sessionOrCookie.exemptFromDuties,
                operation: .listOwnSessions,
                answer: list
            ),
            Endpoint(
                .delete,
                Route.sessions,
                accepts: .sessionOrCookie.exemptFromDuties,
                operation: .endOtherSessions,
                answer: endOthers
            ),
            Endpoint(
                .delete,
                Route.sessions + "/{}",
                accepts: .sessionOrCookie.exemptFromDuties,
                operation: .endOwnSession,
                answer: end
            ),
        ]
    }

    /// Handles `GET /sessions`.
    ///
    /// The page and the total are read separately, so they may not match if a session starts or ends in
    /// between. Provisional sessions aren't listed.
    private func list(_ context: RequestContext) async throws -> HTTP.Response {
        let found = try await authenticator.requiredSession(of: context, refusal: nil)
        let request = try PageRequest(context.query, keySize: 16, hasNumbers: true)
        let page = try await directory.others(than: found.session, request, at: context.now)
        let total = try await directory.countOthers(than: found.session, at: context.now)
        var response = page.response(context.request.path) { found, json in
            writer.write(found.session, of: found.identity, to: &json)
        }
        response.headers["X-Total-Count"] = String(total)
        return response
    }

    /// Handles `DELETE /sessions`.
    ///
    /// Provisional sessions are also revoked and counted, even though they aren't listed. A single audit
    /// event is recorded for all revoked sessions, or none if there were no sessions to revoke.
    private func endOthers(_ context: RequestContext) async throws -> HTTP.Response {
        let found = try await authenticator.requiredSession(of: context, refusal: nil)
        let session = found.session
        let event = event(.sessionsRevoked, of: session, in: context)
        let count = try await found.change(in: database, at: context.now, refusal: nil) { transaction in
            let count = try SessionRepository.revokeOthers(
                than: session.id,
                of: session.identityID,
                at: context.now,
                in: transaction
            )
            if count > 0 { try AuditLog.append(event, in: transaction) }
            return count
        }
        var writer = JSONWriter(reserving: 32)
        writer.object { writer in
            writer.name("count")
            writer.integer(Int64(count))
        }
        return .json(200, body: writer.bytes)
    }

    /// Handles `DELETE /sessions/{id}`.
    ///
    /// - Throws: ``ServerError`` with status 400 if the id is malformed or is that of the current session, or
    ///   401 or 403 if the current session can't be used.
    private func end(_ context: RequestContext) async throws -> HTTP.Response {
        let found = try await authenticator.requiredSession(of: context, refusal: nil)
        let session = found.session
        let id = try context.id(else: 400)
        guard id != session.id else {
            throw ServerError.malformed("This session cannot revoke itself. Log out to end it.")
        }
        let event = event(.sessionRevoked, of: session, in: context, about: id)
        try await found.change(in: database, at: context.now, refusal: nil) { transaction in
            let isEnded = try SessionRepository.revoke(
                id,
                of: session.identityID,
                at: context.now,
                in: transaction
            )
            if isEnded { try AuditLog.append(event, in: transaction) }
        }
        // The response is the same whether the session was already revoked or belongs to another user.
        return HTTP.Response(204)
    }

    /// Creates an audit event for an action of the user.
    ///
    /// Call this before starting the transaction, because the transaction's body may run more than once.
    private func event(
        _ action: AuditAction,
        of session: Session,
        in context: RequestContext,
        about subject: Identifier? = nil
    ) -> AuditEvent {
        AuditEvent(
            action,
            of: session.identityID,
            by: .user,
            in: context,
            about: subject?.description,
            at: context.now,
            random: random
        )
    }
}
