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
                accepts: .privilegedSessionOrCookie.exemptFromDuties,
                operation: .deleteOwnAccount,
                answer: delete
            ),
            Endpoint(
                .get,
                Route.accountExport,
                accepts: .privilegedSessionOrCookie.exemptFromDuties,
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
        let found = try await authenticator.requiredSession(of: context)
        let id = found.identity.id
        try await limiter.require([.accountChange(id)], at: context.now, in: database)
        let end = try await found.change(in: database, at: context.now) { transaction in
            guard
                let token = found.presentedToken,
                try SessionRepository.has(token, of: found.session.id, in: transaction)
            else { throw ServerError.sessionRefreshRequired }
            guard let identity = try IdentityRepository.load(id, in: transaction) else {
                throw Self.sessionEnded
            }
            let evidence = try SessionRepository.evidence(of: found.session.id, in: transaction)
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
        let found = try await authenticator.requiredSession(of: context)
        let id = found.identity.id
        let event = audit.event(.exported, of: id, in: context, at: context.now)
        // The request is counted before any other work.
        try await database.transaction { [limiter] transaction in
            try limiter.require([.export(id)], at: context.now, in: transaction)
            try AuditLog.append(event, in: transaction)
        }
        guard let body = try await export.body(of: id, at: context.now) else {
            throw Self.sessionEnded
        }
        var response = HTTP.Response.json(200, body: [])
        response.headers["Content-Disposition"] = #"attachment; filename="account.json""#
        response.headers["Cache-Control"] = "no-store"
        response.stream = body
        return response
    }

    private static let sessionEnded = ServerError(
        401,
        id: .sessionInactive,
        reason: "The session has ended."
    )

    private static let proofRequired = ServerError(
        403,
        id: .anotherProofRequired,
        reason: "Log in again with the password, or with a code sent to another address of the account."
    )
}
