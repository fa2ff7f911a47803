package import LatchkeyAccounts
import LatchkeyModel
package import LatchkeyServerKit
import LatchkeyWire

/// The recovery flow.
///
/// After the user has entered a code sent to one of the account's addresses, the recovery flow creates a
/// session and a settings flow.
///
/// Requests with a session are rejected. Responses for addresses with and without an account are identical.
package struct RecoveryFlow: SelfServiceFlow {
    /// The inputs for handling a recovery submission, besides its body.
    package struct Step: FlowStep {
        package let context: RequestContext
        package let flow: Flow
    }

    package static let kind = FlowKind.recovery

    private let settings: RecoverySettings
    private let schemas: SchemaCatalog
    private let database: any Database
    private let lifecycle: FlowLifecycle
    private let forms: FormSettings
    private let sessions: SessionAuthenticator
    private let challenge: AddressChallenge
    private let verifier: CodeVerifier
    private let completion: RecoveryCompletion
    private let prover: AddressProver

    package init(
        lifecycle: FlowLifecycle,
        forms: FormSettings,
        sessions: SessionAuthenticator,
        challenge: AddressChallenge,
        verifier: CodeVerifier,
        completion: RecoveryCompletion,
        prover: AddressProver,
        settings: RecoverySettings,
        schemas: SchemaCatalog,
        database: any Database
    ) {
        self.lifecycle = lifecycle
        self.forms = forms
        self.sessions = sessions
        self.challenge = challenge
        self.verifier = verifier
        self.completion = completion
        self.prover = prover
        self.settings = settings
        self.schemas = schemas
        self.database = database
    }

    /// Starts a recovery.
    ///
    /// - Throws: A ``ServerError`` with status 400 if recovery is disabled, the query is invalid, or the
    ///   request has a session. Also throws ``DatabaseError``.
    package func begin(_ context: RequestContext) async throws -> FlowOutcome {
        try refuseIfOff()
        let request = try lifecycle.request(.recovery, in: context)
        try await refuseSession(context)
        return .shown(try await lifecycle.begin(.recovery, for: request, in: context))
    }

    package func show(_ context: RequestContext) async throws -> FlowOutcome {
        .shown(try await lifecycle.show(.recovery, in: context))
    }

    // MARK: Submitting

    /// Accepts a submission if the flow is open and the caller has no session.
    ///
    /// If the flow was already completed, the response is a new flow with status 200. If the flow has
    /// expired, the response is an error with status 410.
    ///
    /// - Throws: A ``ServerError`` with status 400 if recovery is disabled, the query has no valid id, or the
    ///   request has a session. The status is 404 if the flow doesn't exist. Also throws ``DatabaseError``.
    package func admit(_ context: RequestContext) async throws -> FlowAdmission<Step> {
        try refuseIfOff()
        let flow = try await lifecycle.flow(.recovery, of: context)
        try await refuseSession(context)
        guard flow.completedAt == nil else {
            return .declined(try await alreadyCompleted(flow, in: context))
        }
        guard !flow.isOver(at: context.now) else {
            let next = try await lifecycle.replacement(of: flow, at: context.now, from: context.peer)
            return .declined(.expired(next))
        }
        return .admitted(Step(context: context, flow: flow))
    }

    package func parse(_ submission: Submission, at step: Step) -> FlowInput<ChallengeInput> {
        let schema = schemas[step.flow.schemaID] ?? schemas.standard
        let methods = FlowMethods(.recovery, schema: schema, settings: forms)
        return ChallengeInput.parse(submission, in: step.flow, methods: methods)
    }

    /// Sends a code, or checks one and creates a session.
    ///
    /// A session is only created if the rules in ``AddressOwnership`` allow it or an operator handed out the
    /// code.
    ///
    /// - Throws: A ``ServerError`` with status 400 if the proof of possession is invalid, or 429 if a rate
    ///   limit has been reached. Also throws ``DatabaseError``.
    package func perform(_ input: ChallengeInput, at step: Step) async throws -> FlowOutcome {
        do {
            switch input {
            case .sendCode(let address):
                return .waiting(try await challenge.send(to: address, in: step.flow, for: step.context))
            case .checkCode(let code):
                return try await check(code, at: step)
            }
        } catch is FlowEnded {
            return try await alreadyCompleted(step.flow, in: step.context)
        } catch is IdentityRepository.Duplicate {
            let form = Form(messages: [.addressNotProven])
            let context = step.context
            return try await lifecycle.refuse(step.flow, with: form, at: context.now, from: context.peer)
        }
    }

    /// Checks a code and, if it is correct, completes the recovery in the same transaction.
    ///
    /// Wrong guesses are committed too, so that they count toward the limit. The form with the message is
    /// saved in a separate transaction.
    private func check(_ code: OneTimeCode?, at step: Step) async throws -> FlowOutcome {
        let (flow, context, now) = (step.flow, step.context, step.context.now)
        let key = try KeyBinding(context)
        let decision = try await database.transaction { transaction in
            let decision = try verifier.decide(code, in: flow, for: context, in: transaction) {
                try prove($0, of: $1, in: flow, for: context, in: transaction)
            }
            return try decision.map { proven in
                let request = RecoveryCompletion.Request(
                    flow: flow,
                    address: proven.address,
                    context: context,
                    key: key
                )
                return try completion.open(proven.identity, for: request, in: transaction)
            }
        }
        switch decision {
        case .accept(let recovered):
            return .passed(
                recovered.flow,
                by: "code",
                then: [.sessionToken(recovered.token.secret), .settings(flow: recovered.settings.id)]
            )
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
        case .replace:
            let next = try await lifecycle.next(
                after: flow,
                saying: .codeExhausted,
                at: now,
                from: context.peer
            )
            return .guessesUsedUp(replacement: next)
        }
    }

    /// Applies the rules of address ownership to a correct code and the account that it was sent for.
    ///
    /// A code that an operator handed out doesn't prove an address.
    private func prove(
        _ guessed: CodeRepository.Guessed,
        of identity: Identifier,
        in flow: Flow,
        for context: RequestContext,
        in transaction: borrowing Transaction
    ) throws -> AddressProver.Verdict {
        if guessed.address.isIdentity(identity) {
            return try enterByOperatorsCode(identity, at: context.now, in: transaction)
        }
        return try prover.prove(
            AddressProver.Request(
                address: guessed.address,
                identity: identity,
                role: .recovery,
                proof: .entry,
                flow: flow.id,
                context: context
            ),
            at: context.now,
            in: transaction
        )
    }

    /// Accepts a code that an operator handed out, and confirms the account, because the operator vouches for
    /// the user.
    ///
    /// If the account was unconfirmed, its password is removed, because another user may have set it.
    private func enterByOperatorsCode(
        _ identity: Identifier,
        at now: Timestamp,
        in transaction: borrowing Transaction
    ) throws -> AddressProver.Verdict {
        guard
            try IdentityRepository.confirm(identity, in: transaction),
            let old = try IdentityRepository.load(identity, in: transaction)
        else { return .stale }
        guard old.confirmedAt == nil else { return .granted(old) }
        _ = try IdentityRepository.removePassword(of: identity, in: transaction)
        let new = old.confirming(at: now)
        try IdentityRepository.save(new, replacing: old, in: transaction)
        return .granted(new)
    }

    /// Returns a new flow with a message that the form has already been used.
    private func alreadyCompleted(_ flow: Flow, in context: RequestContext) async throws -> FlowOutcome {
        let message = UIMessage.error(.recoveryDone, text: .usedAlready)
        return .waiting(
            try await lifecycle.next(after: flow, saying: message, at: context.now, from: context.peer)
        )
    }

    /// Rejects the request with status 400 if the operator has disabled recovery.
    private func refuseIfOff() throws(ServerError) {
        guard settings.isEnabled else {
            throw .malformed("Account recovery is disabled on this server.")
        }
    }

    /// Rejects the request with status 400 if it has a session.
    private func refuseSession(_ context: RequestContext) async throws {
        guard try await sessions.fullSession(of: context) == nil else {
            throw ServerError(
                400,
                id: .sessionAlreadyAvailable,
                reason: "A valid session was detected, so recovery is not possible."
            )
        }
    }
}
