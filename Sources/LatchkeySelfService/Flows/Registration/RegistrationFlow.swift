package import LatchkeyAccounts
package import LatchkeyModel
package import LatchkeyServerKit
import LatchkeyWire

/// The registration flow, which creates an identity from traits and a password or code.
///
/// Requests with a session are rejected.
package struct RegistrationFlow: SelfServiceFlow {
    /// The inputs for handling a registration submission, besides its body.
    package struct Step: FlowStep {
        package let context: RequestContext
        package let flow: Flow
        /// The flow's schema, with which users are allowed to register.
        let schema: IdentitySchema
    }

    package static let kind = FlowKind.registration

    private let schemas: SchemaCatalog
    private let time: any TimeSource
    private let settings: RegistrationSettings
    private let lifecycle: FlowLifecycle
    private let forms: FormSettings
    private let sessions: SessionAuthenticator
    private let passwords: PasswordRegistration
    private let codes: CodeRegistration
    private let hints: LoginHints

    package init(
        settings: RegistrationSettings,
        lifecycle: FlowLifecycle,
        forms: FormSettings,
        sessions: SessionAuthenticator,
        passwords: PasswordRegistration,
        codes: CodeRegistration,
        hints: LoginHints,
        schemas: SchemaCatalog,
        time: any TimeSource
    ) {
        self.settings = settings
        self.lifecycle = lifecycle
        self.forms = forms
        self.sessions = sessions
        self.passwords = passwords
        self.codes = codes
        self.hints = hints
        self.schemas = schemas
        self.time = time
    }

    // MARK: Beginning

    /// Starts a registration.
    ///
    /// - Throws: A ``ServerError`` with status 400 and the id `self_service_flow_disabled` if registration is
    ///   disabled or the schema isn't open for registration. The status is also 400 if the query is invalid
    ///   or the request has a session. Also throws ``DatabaseError``.
    package func begin(_ context: RequestContext) async throws -> FlowOutcome {
        // Requests for an unknown schema get the same response as requests for one that isn't open for
        // registration.
        let named = context.query["identity_schema"].flatMap { $0.isEmpty ? nil : $0 }
        try refuseIfClosed(named.map { schemas[$0] } ?? schemas.standard)
        let request = try lifecycle.request(.registration, in: context)
        try await refuseSession(context)
        return .shown(try await lifecycle.begin(.registration, for: request, in: context))
    }

    package func show(_ context: RequestContext) async throws -> FlowOutcome {
        .shown(try await lifecycle.show(.registration, in: context))
    }

    // MARK: Submitting

    /// Accepts a submission if the flow is open and the caller has no session.
    ///
    /// The schema is checked again, because the operator may have removed it or closed it for registration
    /// since the flow started.
    ///
    /// - Throws: A ``ServerError`` with status 400 if the query has no valid id, the request has a session,
    ///   or the schema isn't open for registration. The status is 404 if the flow doesn't exist. Also throws
    ///   ``DatabaseError``.
    package func admit(_ context: RequestContext) async throws -> FlowAdmission<Step> {
        let flow = try await lifecycle.flow(.registration, of: context)
        try await refuseSession(context)
        guard !flow.isOver(at: context.now) else {
            let next = try await lifecycle.replacement(of: flow, at: context.now, from: context.peer)
            return .declined(.expired(next))
        }
        guard let schema = schemas[flow.schemaID] else { throw Self.closed }
        try refuseIfClosed(schema)
        return .admitted(Step(context: context, flow: flow, schema: schema))
    }

    package func parse(_ submission: Submission, at step: Step) -> FlowInput<RegistrationInput> {
        RegistrationInput.parse(submission, in: step.flow, schema: step.schema, settings: forms)
    }

    /// Moves between the steps of the form, sends a code, or creates the identity.
    ///
    /// - Throws: A ``ServerError`` with status 400 if the proof of possession is invalid, 429 if a rate limit
    ///   has been reached, or 503 if the password cannot be checked against known breaches. Also throws
    ///   ``PasswordHasherError`` and ``DatabaseError``.
    package func perform(_ input: RegistrationInput, at step: Step) async throws -> FlowOutcome {
        let (flow, context) = (step.flow, step.context)
        let key = try KeyBinding(context)
        func request(_ traits: Traits) -> RegistrationCompletion.Request {
            RegistrationCompletion.Request(
                context: context,
                flow: flow,
                schema: step.schema,
                traits: traits,
                key: key
            )
        }
        do {
            switch input {
            case .back(let form):
                return try await self.step(in: flow, traits: nil, form: form, for: context)
            case .profile(let traits, let form):
                let form = form.with(.chooseCredential)
                return try await self.step(in: flow, traits: traits, form: form, for: context)
            case .password(let traits, let password, let guess, let form):
                let outcome = try await passwords.register(request(traits), with: password, guess: guess)
                return try await self.outcome(outcome, of: request(traits), form: form)
            case .sendCode(let traits, let address, let form):
                return .waiting(try await codes.send(to: address, in: request(traits), form: form))
            case .checkCode(let code, let traits, let form):
                let outcome = try await codes.register(request(traits), with: code)
                return try await self.outcome(outcome, of: request(traits), form: form)
            }
        } catch is FlowEnded {
            return .expired(try await lifecycle.replacement(of: flow, at: time.now, from: context.peer))
        }
    }

    /// Converts the outcome of a registration into the outcome of the flow.
    ///
    /// If the registration was rejected, the form is saved.
    private func outcome(
        _ outcome: RegistrationOutcome,
        of request: RegistrationCompletion.Request,
        form: Form
    ) async throws -> FlowOutcome {
        var (flow, form, isCounted) = (request.flow, form, true)
        switch outcome {
        case .registered(let registered): return .registered(registered)
        case .refused(let message, let field?): form.refuse(field, with: message)
        case .refused(let message, nil): form = form.with(message)
        case .uncounted(let message):
            form = form.with(message)
            isCounted = false
        case .duplicate(let duplicate, let isDuplicateCounted):
            flow = duplicate
            form = form.with(try await hints.refusal(of: request.traits))
            isCounted = isDuplicateCounted
        case .unproven(let unproven, let message):
            form = form.with(try await hints.refusal(of: request.traits))
            form.refuse("code", with: message)
            flow = unproven
            // Only the second of two steps keeps the traits, even if the user has asked for a code before.
            if flow.state == .chooseMethod {
                flow.traits = forms.registrationStyle == .profileFirst ? request.traits.json : nil
            }
        }
        return try await lifecycle.refuse(
            flow,
            with: form,
            at: time.now,
            from: request.context.peer,
            isCounted: isCounted
        )
    }

    /// Moves on to the choice of a credential, or back to the first step if `traits` is `nil`.
    private func step(in flow: Flow, traits: Traits?, form: Form, for context: RequestContext) async throws
        -> FlowOutcome
    {
        var flow = flow
        flow.state = .chooseMethod
        flow.active = nil
        flow.address = nil
        flow.traits = traits?.json
        return try await lifecycle.refuse(flow, with: form, at: context.now, from: context.peer)
    }

    /// The error for a schema that is unknown or not open for registration.
    private static let closed = ServerError(
        400,
        id: .flowDisabled,
        reason: "Registration is disabled for this identity schema."
    )

    /// Rejects the request with status 400 if the schema is unknown or not open for registration.
    private func refuseIfClosed(_ schema: IdentitySchema?) throws(ServerError) {
        guard let schema, settings.isOpen(for: schema, standard: schemas.standard) else { throw Self.closed }
    }

    /// Rejects the request with status 400 if it has a session.
    private func refuseSession(_ context: RequestContext) async throws {
        guard try await sessions.fullSession(of: context) == nil else {
            throw ServerError(
                400,
                id: .sessionAlreadyAvailable,
                reason: "A valid session was detected, so registration is not possible."
            )
        }
    }
}
