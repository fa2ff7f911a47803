import LatchkeyModel

/// Ends a login: uses the flow up and opens a session, or begins the life of the present one anew.
struct LoginCompletion: Sendable {
    /// The flow was used up by another request, or its time is over.
    struct FlowOver: Error {}

    /// Who logs in where.
    struct Request: Sendable {
        let exchange: Exchange
        let flow: Flow

        /// The session to go on with when its owner proves again who they are.
        let present: Session?

        /// The key that the request proved possession of.
        let key: KeyBinding
    }

    /// The session that a login ends in.
    struct Opened: Sendable {
        let session: Session
        let token: SessionToken
        let identity: IdentityRecord
    }

    private let context: ServerContext

    init(_ context: ServerContext) {
        self.context = context
    }

    /// Ends a login, within the transaction of what proves it.
    ///
    /// - Parameters:
    ///   - request: Who logs in where.
    ///   - identity: Whose account it is.
    ///   - method: How they proved it.
    ///   - evidence: What they have proven.
    ///   - now: The time.
    ///   - transaction: The transaction.
    /// - Returns: The session.
    /// - Throws: ``FlowOver``, after which nothing of the transaction may stay.
    func open(
        _ request: Request,
        _ identity: IdentityRecord,
        by method: String,
        _ evidence: SessionEvidence,
        at now: Timestamp,
        in transaction: borrowing Transaction
    ) throws -> Opened {
        var flow = request.flow
        flow.active = method
        flow.clearForm()
        guard try FlowRepository.complete(flow, at: now, in: transaction) else { throw FlowOver() }
        try AuditLog.append(
            AuditEvent(
                .loggedIn,
                of: identity.id,
                by: .person,
                in: request.exchange,
                about: method,
                at: now,
                random: context.random
            ),
            in: transaction
        )
        if let renewed = try renew(request, identity, by: method, evidence, at: now, in: transaction) {
            return renewed
        }
        let opening = SessionOpening(
            of: identity.id,
            by: method,
            evidence,
            context.schemas[identity.schemaID],
            for: request.exchange,
            keyThumbprint: request.key.keyThumbprint,
            at: now,
            context
        )
        try SessionRepository.insert(opening, in: transaction)
        return Opened(session: opening.session, token: opening.token, identity: identity)
    }

    private func renew(
        _ request: Request,
        _ identity: IdentityRecord,
        by method: String,
        _ evidence: SessionEvidence,
        at now: Timestamp,
        in transaction: borrowing Transaction
    ) throws -> Opened? {
        guard request.flow.refresh, let present = request.present, present.identityID == identity.id else {
            return nil
        }
        // Earlier evidence counts as long as the session is privileged by it.
        let isPrivileged = present.authenticatedAt + context.settings.privilegedSessionAge > now
        let before =
            isPrivileged ? try SessionRepository.evidence(of: present.id, in: transaction) : SessionEvidence()
        let token = SessionToken(prefix: context.settings.sessionTokenPrefix, random: context.random)
        let renewed = present.authenticatedAgain(
            by: method,
            at: now,
            lifespan: context.settings.sessionLifespan
        )
        let isRenewed = try SessionRepository.renew(
            renewed,
            before.adding(evidence),
            token: token,
            in: transaction
        )
        return isRenewed ? Opened(session: renewed, token: token, identity: identity) : nil
    }
}
