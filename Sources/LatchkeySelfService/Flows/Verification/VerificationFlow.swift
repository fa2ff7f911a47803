package import LatchkeyAccounts
import LatchkeyCourier
package import LatchkeyModel
package import LatchkeyServerKit
import LatchkeyWire

/// The verification flow, which verifies an address with a code that is sent to it.
///
/// The caller doesn't need a session. If the code is entered in a session of the account that has the
/// address, the address is proven from inside the account, which also confirms the account.
package struct VerificationFlow: SelfServiceFlow {
    /// The inputs for handling a verification submission, besides its body.
    package struct Step: FlowStep {
        package let context: RequestContext
        package let flow: Flow
    }

    package static let kind = FlowKind.verification

    private let verification: VerificationSettings
    private let schemas: SchemaCatalog
    private let database: any Database
    private let random: any RandomSource
    private let lifecycle: FlowLifecycle
    private let forms: FormSettings
    private let challenge: AddressChallenge
    private let verifier: CodeVerifier
    private let changes: TraitChange
    private let sessions: SessionAuthenticator
    private let prover: AddressProver

    package init(
        changes: TraitChange,
        lifecycle: FlowLifecycle,
        forms: FormSettings,
        challenge: AddressChallenge,
        verifier: CodeVerifier,
        sessions: SessionAuthenticator,
        prover: AddressProver,
        verification: VerificationSettings,
        schemas: SchemaCatalog,
        database: any Database,
        random: any RandomSource
    ) {
        self.changes = changes
        self.lifecycle = lifecycle
        self.forms = forms
        self.challenge = challenge
        self.verifier = verifier
        self.sessions = sessions
        self.prover = prover
        self.verification = verification
        self.schemas = schemas
        self.database = database
        self.random = random
    }

    /// Starts a verification that isn't bound to an account, even if the request has a session.
    ///
    /// - Throws: A ``ServerError`` with status 400 if verification is disabled or the query is invalid. Also
    ///   throws ``DatabaseError``.
    package func begin(_ context: RequestContext) async throws -> FlowOutcome {
        try refuseIfOff()
        let request = try lifecycle.request(.verification, in: context)
        return .shown(try await lifecycle.begin(.verification, for: request, in: context))
    }

    package func show(_ context: RequestContext) async throws -> FlowOutcome {
        .shown(try await lifecycle.show(.verification, in: context))
    }

    // MARK: Submitting

    /// Accepts a submission if the flow is open.
    ///
    /// If the flow was already completed, the response has status 410 and contains a replacement. If the flow
    /// has expired, the client is redirected to its replacement.
    ///
    /// - Throws: A ``ServerError`` with status 400 if verification is disabled or the query has no valid id,
    ///   or 404 if the flow doesn't exist. Also throws ``DatabaseError``.
    package func admit(_ context: RequestContext) async throws -> FlowAdmission<Step> {
        try refuseIfOff()
        let now = context.now
        let flow = try await lifecycle.flow(.verification, of: context)
        guard flow.completedAt == nil else { return .declined(try await replaced(flow, in: context)) }
        guard flow.expiresAt > now else {
            let message = UIMessage.flowExpired(.verification, at: flow.expiresAt)
            let next = try await lifecycle.next(after: flow, saying: message, at: now, from: context.peer)
            return .declined(.moved(to: next))
        }
        return .admitted(Step(context: context, flow: flow))
    }

    package func parse(_ submission: Submission, at step: Step) -> FlowInput<ChallengeInput> {
        let schema = schemas[step.flow.schemaID] ?? schemas.standard
        let methods = FlowMethods(.verification, schema: schema, settings: forms)
        return ChallengeInput.parse(submission, in: step.flow, methods: methods)
    }

    /// Sends a code, or checks one and verifies its address.
    ///
    /// Until a correct code is entered, the outcomes are the same for addresses with and without an account.
    ///
    /// - Throws: A ``ServerError`` with status 429 if a rate limit has been reached. Also throws
    ///   ``DatabaseError``.
    package func perform(_ input: ChallengeInput, at step: Step) async throws -> FlowOutcome {
        do {
            switch input {
            case .sendCode(let address):
                return .waiting(try await challenge.send(to: address, in: step.flow, for: step.context))
            case .checkCode(let code):
                return try await check(code, at: step)
            }
        } catch is FlowEnded {
            return try await replaced(step.flow, in: step.context)
        } catch is IdentityRepository.Duplicate {
            // The caller knows the code, so they control the address and may learn that another account uses
            // it.
            let form = Form(messages: [.duplicateIdentifier])
            let context = step.context
            return try await lifecycle.refuse(step.flow, with: form, at: context.now, from: context.peer)
        }
    }

    /// Checks a code and, if it is correct, completes the verification in the same transaction.
    ///
    /// The caller's session is optional and may be provisional.
    private func check(_ code: OneTimeCode?, at step: Step) async throws -> FlowOutcome {
        let (flow, context, now) = (step.flow, step.context, step.context.now)
        let caller = try await sessions.anySession(of: context)?.session
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
        switch decision {
        case .accept(let passed): return .passed(passed, by: "code")
        case .retry(let message, let isCounted):
            let shown = try await lifecycle.update(
                flow,
                showing: Form(messages: [message]),
                at: now,
                from: context.peer,
                isCounted: isCounted
            )
            return .waiting(shown)
        case .refuse(let message, let isCounted):
            return try await lifecycle.refuse(
                flow,
                with: Form(messages: [message]),
                at: now,
                from: context.peer,
                isCounted: isCounted
            )
        case .replace: return try await replaced(flow, in: context)
        }
    }

    /// Applies the rules of address ownership to a correct code, and saves any change that is waiting for it.
    ///
    /// If a registration, login or settings change started the flow, the code counts as entered from inside
    /// the account, unless the flow is bound to a session that has ended. For all other flows, the effect of
    /// the code depends on the caller's own session.
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
        let isBound = flow.identityID == identity
        if isBound, let session = flow.sessionID {
            guard try SessionRepository.hold(session, of: identity, at: now, in: transaction) else {
                throw FlowEnded()
            }
        }
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
        passed = lifecycle.leadingOn(passed, saying: .verified(address), at: now)
        guard try FlowRepository.complete(passed, at: now, in: transaction) else { throw FlowEnded() }
        return passed
    }

    /// Starts a replacement for a flow that was completed or has no guesses left.
    private func replaced(_ flow: Flow, in context: RequestContext) async throws -> FlowOutcome {
        let message = UIMessage.error(.verificationDone, text: .doneOrTriedTooOften)
        let now = context.now
        let next = try await lifecycle.next(after: flow, saying: message, at: now, from: context.peer)
        return .replaced(FlowReplacement(flow: next, now: now))
    }

    /// Rejects the request with status 400 if the operator has disabled verification.
    private func refuseIfOff() throws(ServerError) {
        guard verification.isEnabled else {
            throw .malformed("Address verification is disabled on this server.")
        }
    }
}
