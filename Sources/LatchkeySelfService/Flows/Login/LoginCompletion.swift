package import LatchkeyAccounts
package import LatchkeyModel
import LatchkeyServerKit

/// Completes a login flow, and creates a session or extends the current one.
package struct LoginCompletion: Sendable {
    /// The input for the last step of a login.
    struct Request: Sendable {
        /// The request.
        ///
        /// A new session stores its client address and user agent.
        let context: RequestContext
        /// The flow, which is completed in the same transaction as the login.
        let flow: Flow

        /// The current session, which a re-authentication extends, or `nil` if there is none.
        let present: Session?

        /// The key that the client has proven it possesses, if any.
        let key: KeyBinding

        /// - Throws: ``ServerError`` with status 400 if the proof of possession in the request is invalid.
        init(_ context: FlowContext) throws(ServerError) {
            self.context = context.request
            flow = context.flow
            present = context.session?.session
            key = try KeyBinding(context.request)
        }
    }

    /// A session that was created or extended by a login.
    package struct Opened: Sendable {
        /// The new or extended session, which has already been saved.
        let session: Session
        /// The new token, which is returned to the client.
        ///
        /// Only a hash of the token is stored.
        let token: SessionToken
        /// The identity that the session belongs to.
        let identity: IdentityRecord
        /// The completed flow.
        let flow: Flow
        /// Whether the session existed before the login.
        var isRenewed = false
    }

    private let deletion: AccountDeletion
    private let sessionSettings: SessionSettings
    private let random: any RandomSource
    private let schemas: SchemaCatalog

    package init(
        deletion: AccountDeletion,
        sessionSettings: SessionSettings,
        random: any RandomSource,
        schemas: SchemaCatalog
    ) {
        self.deletion = deletion
        self.sessionSettings = sessionSettings
        self.random = random
        self.schemas = schemas
    }

    /// Completes a login in the transaction that verified the credential.
    ///
    /// The flow is completed first, so if there are several concurrent submissions, at most one of them
    /// creates a session. A re-authentication extends the current session and gives it a new token. If that
    /// session has ended, a new one is created. If the user has requested the deletion of the account,
    /// logging in cancels it.
    ///
    /// - Parameters:
    ///   - request: The login request.
    ///   - identity: The identity that is logging in.
    ///   - method: The method used to log in.
    ///   - evidence: The evidence of the password or address that the login has proven, which is stored with
    ///     the session.
    ///   - now: The time of the authentication.
    ///   - transaction: The transaction that verified the credential.
    /// - Returns: The session and its new token.
    /// - Throws: ``FlowEnded``, in which case the caller must roll back the transaction.
    func open(
        _ request: Request,
        for identity: IdentityRecord,
        by method: AuthenticationMethod,
        evidence: SessionEvidence,
        at now: Timestamp,
        in transaction: borrowing Transaction
    ) throws -> Opened {
        var flow = request.flow
        flow.active = method.name
        flow.clearForm()
        guard try FlowRepository.complete(flow, at: now, in: transaction) else { throw FlowEnded() }
        try AuditLog.append(
            AuditEvent(
                .loggedIn,
                of: identity.id,
                by: .user,
                in: request.context,
                about: method.name,
                at: now,
                random: random
            ),
            in: transaction
        )
        try deletion.cancel(identity.id, for: request.context, in: transaction)
        if let renewed = try renew(
            request,
            completing: flow,
            for: identity,
            by: method,
            evidence: evidence,
            at: now,
            in: transaction
        ) {
            return renewed
        }
        // A second factor alone opens no session.
        guard flow.requestedAAL == .aal1 else { throw FlowEnded() }
        let replaced = ReplacedSession(flow: flow, present: request.present, context: request.context)
        try replaced.end(by: identity.id, at: now, random: random, in: transaction)
        let opening = try NewSession(
            of: identity.id,
            by: method,
            evidence: evidence,
            schema: schemas[identity.schemaID],
            for: request.context,
            kind: flow.type.sessionKind,
            clientID: flow.clientID,
            keyThumbprint: request.key.keyThumbprint,
            at: now,
            settings: sessionSettings,
            random: random
        )
        try SessionRepository.insert(opening, in: transaction)
        return Opened(session: opening.session, token: opening.token, identity: identity, flow: flow)
    }

    /// Extends the current session with a new token if this login re-authenticates its user, or adds a second
    /// factor.
    ///
    /// A client may ask a user who is logged in for a new login. If it is a login of the same user, it extends the
    /// session, too, which the browser would forget otherwise.
    ///
    /// - Returns: The extended session, or `nil` if the flow opens a new one, or if the session has ended or
    ///   belongs to another identity.
    private func renew(
        _ request: Request,
        completing completed: Flow,
        for identity: IdentityRecord,
        by method: AuthenticationMethod,
        evidence: SessionEvidence,
        at now: Timestamp,
        in transaction: borrowing Transaction
    ) throws -> Opened? {
        let flow = request.flow
        guard
            flow.refresh || flow.requestedAAL == .aal2 || flow.loginChallenge != nil,
            let present = request.present, present.identityID == identity.id
        else { return nil }
        // The credentials that were proven earlier only count while the session is privileged.
        let isPrivileged = present.isPrivileged(for: sessionSettings.privilegedAge, at: now)
        let before =
            isPrivileged ? try SessionRepository.evidence(of: present.id, in: transaction) : SessionEvidence()
        let kind = flow.type.sessionKind
        let token = SessionToken(for: kind, settings: sessionSettings, random: random)
        let renewed = present.authenticatedAgain(
            by: method,
            at: now,
            kind: kind,
            settings: sessionSettings
        )
        let isRenewed = try SessionRepository.renew(
            renewed,
            evidence: before.adding(evidence),
            token: token,
            in: transaction
        )
        return isRenewed
            ? Opened(session: renewed, token: token, identity: identity, flow: completed, isRenewed: true)
            : nil
    }
}
