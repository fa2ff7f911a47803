import LatchkeyAccounts
import LatchkeyCourier
import LatchkeyModel
import LatchkeyServerKit
import LatchkeyWire

/// Completes recoveries.
///
/// A completed recovery revokes all of the identity's sessions, creates a new one, and starts the settings
/// flow in which the user sets a new password.
package struct RecoveryCompletion: Sendable {
    /// The input for the last step of a recovery, which runs after the code has been verified.
    struct Request: Sendable {
        /// The flow, which is completed in the transaction.
        let flow: Flow
        /// The address that the code was sent to, or the placeholder for a code that an operator handed out.
        let address: ContactAddress
        let context: RequestContext
        /// The session of a browser whose user recovers another account, or `nil` if there is none.
        let present: Session?
        /// The key that the client has proven it possesses, if any.
        let key: KeyBinding
    }

    /// A completed recovery, with the new session and the settings flow.
    package struct Recovered: Sendable {
        /// The completed flow.
        let flow: Flow
        /// The new session, which is privileged for a limited time.
        let session: Session
        /// The session's token, which is returned to the client in `continue_with`.
        let token: SessionToken

        /// The flow in which the user sets a new password.
        let settings: Flow
    }

    private let sessionSettings: SessionSettings
    private let random: any RandomSource
    private let schemas: SchemaCatalog
    private let audit: AuditLog
    private let lifecycle: FlowLifecycle
    private let notices: AccountNotices
    private let networks: KnownNetworks
    private let passwordLimits: PasswordLimits
    private let deletion: AccountDeletion
    private let data: AccountData

    init(_ services: MethodServices) {
        let accounts = services.accounts
        sessionSettings = accounts.sessionSettings
        random = services.environment.random
        schemas = accounts.schemas
        audit = accounts.audit
        lifecycle = services.lifecycle
        notices = accounts.notices
        networks = accounts.networks
        passwordLimits = accounts.passwordLimits
        deletion = accounts.deletion
        data = accounts.data
    }

    /// Completes a recovery in the transaction that verified the code.
    ///
    /// All earlier sessions of the identity are revoked, its other codes are invalidated, and its known
    /// networks are forgotten except for the caller's. If the user has requested the deletion of the account,
    /// the deletion is cancelled. A notice is sent to the other proven addresses, unless an operator handed
    /// out the code.
    ///
    /// - Throws: ``FlowEnded``, in which case the caller must roll back the transaction. Also throws
    ///   ``DatabaseError``, or an error if a notice cannot be encrypted.
    func open(
        _ identity: Identity,
        for request: Request,
        in transaction: borrowing Transaction
    ) throws -> Recovered {
        let (id, context, now) = (identity.id, request.context, request.context.now)
        var passed = request.flow
        passed.state = .passedChallenge
        passed = lifecycle.showing(Form(), in: passed, at: now)
        guard try FlowRepository.complete(passed, at: now, in: transaction) else { throw FlowEnded() }
        try SessionRepository.revokeAll(of: id, at: now, in: transaction)
        try data.endGrants(of: id, at: now, in: transaction)
        try OpenCodes.void(of: id, except: request.flow.id, at: now, random: random, in: transaction)
        try networks.forgetOthers(than: context.peer, of: id, at: now, in: transaction)
        let address = request.address.isIdentity(id) ? nil : request.address
        // A client that reads the messages of an address doesn't need to guess. An operator's code only
        // vouches for the user who has entered it.
        if address == nil {
            try passwordLimits.endWait(of: id, from: context.peer, at: now, in: transaction)
        } else {
            try passwordLimits.endWaits(of: id, at: now, in: transaction)
        }
        let opening = try NewSession(
            of: id,
            by: .codeRecovery,
            evidence: .recovery(address),
            schema: schemas[identity.schemaID],
            for: context,
            kind: request.flow.type.sessionKind,
            clientID: request.flow.clientID,
            keyThumbprint: request.key.keyThumbprint,
            at: now,
            settings: sessionSettings,
            random: random
        )
        let replaced = ReplacedSession(flow: request.flow, present: request.present, context: context)
        try replaced.end(by: id, at: now, random: random, in: transaction)
        try SessionRepository.insert(opening, in: transaction)
        try AuditLog.append(audit.event(.recovered, of: id, in: context, at: now), in: transaction)
        // If an operator handed out the code, we don't send a notice, because the operator is in contact with
        // the user.
        if let address {
            try notices.send(.accountRecovered, to: identity, except: address, for: context, in: transaction)
        }
        try deletion.cancel(id, for: context, in: transaction)
        let settings = settings(
            of: identity,
            after: request.flow,
            session: opening.session,
            in: context,
            at: now
        )
        try FlowRepository.insert(settings, in: transaction)
        return Recovered(
            flow: passed,
            session: opening.session,
            token: opening.token,
            settings: settings
        )
    }

    /// Creates the settings flow in which the user sets a new password.
    ///
    /// A message in the form says how long the session is privileged. The flow leads to the client that the recovery
    /// has interrupted.
    private func settings(
        of identity: Identity,
        after recovery: Flow,
        session: Session,
        in context: RequestContext,
        at now: Timestamp
    ) -> Flow {
        let flow = lifecycle.flow(
            .settings,
            for: recovery.type,
            of: identity.id,
            schemaID: identity.schemaID,
            loginChallenge: recovery.loginChallenge,
            withNewSession: true,
            in: context,
            at: now
        )
        let end = session.authenticatedAt + sessionSettings.privilegedAge
        let schema = schemas[identity.schemaID]
        let form = schema.map { Form.showing(identity.record, by: $0) } ?? Form()
        return lifecycle.showing(form.with(.recovered(until: end)), in: flow, at: now)
    }
}
