package import LatchkeyAccounts
package import LatchkeyModel
import LatchkeyServerKit

/// Completes the flow of a login, and opens a session or extends the current one.
package struct LoginCompletion: Sendable {
    /// The inputs to the last step of a login.
    struct Request: Sendable {
        /// The request, whose client address and user agent a new session stores.
        let context: RequestContext
        /// The flow, which is completed in the transaction of the login.
        let flow: Flow

        /// The current session, which a re-authentication extends; `nil` without a session.
        let present: Session?

        /// The key that the request proved possession of, if any.
        let key: KeyBinding

        package init(context: RequestContext, flow: Flow, present: Session?, key: KeyBinding) {
            self.context = context
            self.flow = flow
            self.present = present
            self.key = key
        }
    }

    /// The session that a login opened or extended.
    package struct Opened: Sendable {
        /// The session in its new state, which is already stored.
        let session: Session
        /// The new token, which the response contains; only its hash is stored.
        let token: SessionToken
        /// The identity that the session belongs to.
        let identity: IdentityRecord
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

    /// Completes a login in the transaction that verified its credential.
    ///
    /// The flow is completed first, so at most one of several concurrent submissions opens a session. A
    /// re-authentication extends the current session under a new token. If that session has ended, a
    /// new one is opened. If the owner has deleted the account, the login cancels the deletion.
    ///
    /// - Parameters:
    ///   - request: The inputs of the login.
    ///   - identity: The identity that logs in.
    ///   - method: The method of the login.
    ///   - evidence: The password or address that the login proved, which the session records.
    ///   - now: The time of the authentication.
    ///   - transaction: The transaction that verified the credential.
    /// - Returns: The session, with its new token.
    /// - Throws: ``FlowEnded``, after which the caller must roll back the transaction.
    func open(
        _ request: Request,
        for identity: IdentityRecord,
        by method: AuthenticationMethod,
        evidence: SessionEvidence,
        at now: Timestamp,
        in transaction: borrowing Transaction
    ) throws -> Opened {
        var flow = request.flow
        flow.active = method.rawValue
        flow.clearForm()
        guard try FlowRepository.complete(flow, at: now, in: transaction) else { throw FlowEnded() }
        try AuditLog.append(
            AuditEvent(
                .loggedIn,
                of: identity.id,
                by: .user,
                in: request.context,
                about: method.rawValue,
                at: now,
                random: random
            ),
            in: transaction
        )
        try deletion.cancel(identity.id, for: request.context, in: transaction)
        if let renewed = try renew(
            request,
            for: identity,
            by: method,
            evidence: evidence,
            at: now,
            in: transaction
        ) {
            return renewed
        }
        let opening = NewSession(
            of: identity.id,
            by: method,
            evidence: evidence,
            schema: schemas[identity.schemaID],
            for: request.context,
            keyThumbprint: request.key.keyThumbprint,
            at: now,
            settings: sessionSettings,
            random: random
        )
        try SessionRepository.insert(opening, in: transaction)
        return Opened(session: opening.session, token: opening.token, identity: identity)
    }

    /// If the login re-authenticates the owner of the current session, extends that session under a new
    /// token.
    ///
    /// - Returns: `nil` if the flow is not a re-authentication, or if the session has ended or belongs to
    ///   another identity.
    private func renew(
        _ request: Request,
        for identity: IdentityRecord,
        by method: AuthenticationMethod,
        evidence: SessionEvidence,
        at now: Timestamp,
        in transaction: borrowing Transaction
    ) throws -> Opened? {
        guard request.flow.refresh, let present = request.present, present.identityID == identity.id else {
            return nil
        }
        // Earlier evidence is retained only while the session is privileged.
        let isPrivileged = present.authenticatedAt + sessionSettings.privilegedAge > now
        let before =
            isPrivileged ? try SessionRepository.evidence(of: present.id, in: transaction) : SessionEvidence()
        let token = SessionToken(prefix: sessionSettings.tokenPrefix, random: random)
        let renewed = present.authenticatedAgain(
            by: method,
            at: now,
            lifespan: sessionSettings.lifespan
        )
        let isRenewed = try SessionRepository.renew(
            renewed,
            evidence: before.adding(evidence),
            token: token,
            in: transaction
        )
        return isRenewed ? Opened(session: renewed, token: token, identity: identity) : nil
    }
}
