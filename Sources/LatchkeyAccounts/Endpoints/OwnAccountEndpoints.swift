import LatchkeyModel
import LatchkeyServerKit
import LatchkeyWire

/// The routes that let users delete and export their own accounts.
///
/// These routes aren't part of Kratos's API.
///
/// Both routes require a session token and a recent login. If the account has more than one credential,
/// deletion also requires the user to have authenticated with more than one of them; see
/// ``SessionEvidence/allowsDeletion(proven:hasPassword:)``.
struct OwnAccountEndpoints: Sendable {
    private let database: any Database
    private let authenticator: SessionAuthenticator
    private let deletion: AccountDeletion
    private let export: AccountExport
    private let limiter: Limiter
    private let audit: AuditLog

    /// Creates the routes.
    ///
    /// - Parameters:
    ///   - authenticator: Authenticates session tokens. Access tokens are rejected.
    ///   - deletion: Deletes accounts.
    ///   - export: Reads the data of accounts.
    ///   - limiter: Limits the rate of changes to an account and of exports.
    ///   - audit: The audit log that creates the events for exports.
    ///   - database: The database that contains accounts and sessions.
    init(
        authenticator: SessionAuthenticator,
        deletion: AccountDeletion,
        export: AccountExport,
        limiter: Limiter,
        audit: AuditLog,
        database: any Database
    ) {
        self.authenticator = authenticator
        self.deletion = deletion
        self.export = export
        self.limiter = limiter
        self.audit = audit
        self.database = database
    }

    /// The routes that this type handles.
    var endpoints: [Endpoint] {
        [
            Endpoint(
                .delete,
                Route.account,
                accepts: .privilegedSession,
                operation: .deleteOwnAccount,
                answer: delete
            ),
            Endpoint(
                .get,
                Route.accountExport,
                accepts: .privilegedSession,
                operation: .exportOwnAccount,
                answer: exported
            ),
        ]
    }

    /// Handles `DELETE /account`.
    ///
    /// The session, its token and its evidence are checked in the same transaction that schedules the
    /// deletion. The transaction locks the rows of the identity and the session.
    private func delete(_ context: RequestContext) async throws -> HTTP.Response {
        let found = try await authenticator.requiredSession(of: context, refusal: .sessionInactive)
        let (session, id) = (found.session, found.identity.id)
        try await reserve(.accountChange(id), at: context.now)
        let end = try await database.transaction { transaction in
            let identity = try hold(session, for: context, in: transaction)
            let evidence = try SessionRepository.evidence(of: session.id, in: transaction)
            let hasPassword = try IdentityRepository.passwordTimes(of: id, in: transaction) != nil
            guard evidence.allowsDeletion(proven: identity.provenAddresses, hasPassword: hasPassword) else {
                throw Self.proofRequired
            }
            return try deletion.schedule(identity, for: context, in: transaction)
        }
        var writer = JSONWriter(reserving: 64)
        writer.object { writer in
            writer.name("deletion_at")
            writer.time(end)
        }
        return .json(202, body: writer.bytes)
    }

    /// Handles `GET /account/export`.
    private func exported(_ context: RequestContext) async throws -> HTTP.Response {
        let found = try await authenticator.requiredSession(of: context, refusal: .sessionInactive)
        let id = found.identity.id
        let event = audit.event(.exported, of: id, in: context, at: context.now)
        try await reserve(.export(id), recording: event, at: context.now)
        guard let body = try await export.body(of: id, at: context.now) else {
            throw Self.sessionEnded
        }
        var response = HTTP.Response.json(200, body: [])
        response.headers["Content-Disposition"] = #"attachment; filename="account.json""#
        response.headers["Cache-Control"] = "no-store"
        response.stream = body
        return response
    }

    /// Counts the request towards its rate limit before doing any other work, and stores the given event, if
    /// any.
    ///
    /// - Throws: ``ServerError`` with status 429 if the limit has been reached.
    private func reserve(
        _ limited: LimitedEvent,
        recording event: AuditEvent? = nil,
        at now: Timestamp
    ) async throws {
        let verdict = try await database.transaction { [limiter] transaction in
            let verdict = try limiter.reserve([limited], at: now, in: transaction)
            if case .reserved = verdict, let event { try AuditLog.append(event, in: transaction) }
            return verdict
        }
        if case .refused(let retryAfter) = verdict {
            throw ServerError.tooManyRequests(retryAfter: retryAfter)
        }
    }

    /// Locks the identity's row, then the session's row, and loads the identity.
    ///
    /// - Throws: ``ServerError`` with status 401 if the session has ended in the meantime, or 403 if its
    ///   token was replaced.
    private func hold(
        _ session: Session,
        for context: RequestContext,
        in transaction: borrowing Transaction
    ) throws -> Identity {
        let id = session.identityID
        guard
            try IdentityRepository.confirm(id, in: transaction),
            try SessionRepository.hold(session.id, of: id, at: context.now, in: transaction),
            let token = context.sessionToken,
            let identity = try IdentityRepository.load(id, in: transaction)
        else { throw Self.sessionEnded }
        guard try SessionRepository.has(SessionToken(presented: token), of: session.id, in: transaction)
        else { throw Self.refreshRequired }
        return identity
    }

    private static let sessionEnded = ServerError(
        401,
        id: .sessionInactive,
        reason: "The session has ended."
    )

    private static let refreshRequired = ServerError(
        403,
        id: .sessionRefreshRequired,
        reason: "The last login is too old for this request. Log in again."
    )

    private static let proofRequired = ServerError(
        403,
        id: .anotherProofRequired,
        reason: "Log in again with the password, or with a code sent to another address of the account."
    )
}
