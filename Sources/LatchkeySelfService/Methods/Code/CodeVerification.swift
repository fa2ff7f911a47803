import LatchkeyAccounts
import LatchkeyModel
import LatchkeyServerKit
import LatchkeyWire

/// Verifies an address with a code that was sent to it.
struct CodeVerification: FlowMethod {
    let form = ChallengeForm()

    private let database: any Database
    private let random: any RandomSource
    private let lifecycle: FlowLifecycle
    private let challenge: AddressChallenge
    private let verifier: CodeVerifier
    private let changes: TraitChange
    private let sessions: SessionAuthenticator
    private let prover: AddressProver

    init(_ services: MethodServices) {
        database = services.environment.database
        random = services.environment.random
        lifecycle = services.lifecycle
        challenge = AddressChallenge(services)
        verifier = services.verifier
        changes = services.changes
        sessions = services.accounts.authenticator
        prover = services.prover
    }

    /// Sends a code, or checks one and verifies its address.
    ///
    /// Until a correct code is entered, the outcomes are the same for addresses with and without an account.
    ///
    /// - Throws: A ``ServerError`` with status 429 if a rate limit has been reached. Also throws
    ///   ``DatabaseError``.
    func perform(_ input: ChallengeForm.Input, in context: FlowContext) async throws -> FlowOutcome {
        do {
            switch input {
            case .send where context.flow.isOpenedElsewhere: return try await check(nil, in: context)
            case .send(let address):
                return .waiting(
                    try await challenge.send(to: address, in: context.flow, for: context.request)
                )
            case .check(let code): return try await check(code, in: context)
            }
        } catch is IdentityRepository.Duplicate {
            // The caller knows the code, so they control the address and may learn that another account uses
            // it.
            let (form, request) = (Form(messages: [.duplicateIdentifier]), context.request)
            return try await lifecycle.refuse(context.flow, with: form, at: request.now, from: request.peer)
        }
    }

    /// Checks a code and, if it is correct, completes the verification in the same transaction.
    ///
    /// The caller's session is optional and may be provisional.
    private func check(_ code: OneTimeCode?, in submitted: FlowContext) async throws -> FlowOutcome {
        let (flow, context) = (submitted.flow, submitted.request)
        let caller = try await sessions.session(of: context)?.session
        let decision = try await database.transaction { transaction in
            let decision = try verifier.decide(code, in: flow, for: context, in: transaction) {
                try prove($0, of: $1, in: flow, by: caller, for: context, in: transaction)
            }
            return try decision.map { proven in
                try pass(
                    flow,
                    of: proven.identity,
                    address: proven.address,
                    for: context,
                    in: transaction
                )
            }
        }
        return try await challenge.outcome(of: decision, in: submitted) { passed in
            .passed(passed, by: form.name)
        } replace: {
            throw FlowEnded()
        }
    }

    /// Applies the rules of address ownership to a correct code, and saves any change that is waiting for it.
    ///
    /// If a registration, login or settings change started the flow, the code counts as entered from inside
    /// the account, unless the flow is bound to a session that has ended. For all other flows, and in browsers
    /// whose cookies another host may have set, the effect of the code depends on the caller's own session.
    ///
    /// - Throws: ``FlowEnded`` if the flow's session has ended or the change can no longer be saved.
    private func prove(
        _ guessed: CodeRepository.Guessed,
        of identity: Identifier,
        in flow: Flow,
        by caller: Session?,
        for context: RequestContext,
        in transaction: borrowing Transaction
    ) throws -> AddressProver.Verdict {
        let now = context.now
        // All transactions lock the identity before the session, so we do the same here.
        guard try IdentityRepository.confirm(identity, in: transaction) else {
            return .stale
        }
        if flow.identityID == identity, let session = flow.sessionID {
            guard try SessionRepository.hold(session, of: identity, at: now, in: transaction) else {
                throw FlowEnded()
            }
        }
        let isBound = flow.identityID == identity && Self.isInside(flow, caller: caller)
        var isCaller = false
        if !isBound, let caller, caller.identityID == identity {
            isCaller = try SessionRepository.hold(caller.id, of: identity, at: now, in: transaction)
        }
        if let change = PendingChange(in: flow), change.address == guessed.address {
            guard let made = try changes.make(change, of: identity, in: flow, for: context, in: transaction)
            else { throw FlowEnded() }
            return made
        }
        return try prover.prove(
            AddressProver.Request(
                address: guessed.address,
                identity: identity,
                role: .verification,
                proof: VerificationCaller(isBound: isBound, isCaller: isCaller).proof,
                flow: flow.id,
                context: context
            ),
            at: now,
            in: transaction
        )
    }

    /// Returns whether the client of a flow that was started for an account is the one that has started it.
    ///
    /// A native app is known by the flow's id. A browser must have the flow's session, and if there is none, must
    /// not have got the code from a link that anyone may have opened in it.
    private static func isInside(_ flow: Flow, caller: Session?) -> Bool {
        guard flow.type == .browser else { return true }
        return flow.sessionID.map { $0 == caller?.id } ?? (flow.link == nil)
    }

    /// Completes a flow after a correct code, and writes the verification to the audit log.
    ///
    /// - Throws: ``FlowEnded`` if the flow has expired or another request has completed it.
    private func pass(
        _ flow: Flow,
        of identity: Identity,
        address: ContactAddress,
        for context: RequestContext,
        in transaction: borrowing Transaction
    ) throws -> Flow {
        let now = context.now
        let event = AuditEvent(
            .addressVerified,
            of: identity.id,
            by: .user,
            in: context,
            about: address.via.rawValue,
            at: now,
            random: random
        )
        try AuditLog.append(event, in: transaction)
        var passed = flow
        passed.state = .passedChallenge
        // Another request may have sent a code to another address meanwhile.
        passed.address = address.value
        passed = lifecycle.leadingOn(passed, saying: .verified(address), at: now)
        guard try FlowRepository.complete(passed, at: now, in: transaction) else { throw FlowEnded() }
        return passed
    }
}
