package import LatchkeyAccounts
package import LatchkeyModel
package import LatchkeyServerKit
import LatchkeyWire

/// The login flow, which accepts a password or a code and can re-authenticate a user who already has a
/// session.
package struct LoginFlow: SelfServiceFlow {
    /// The inputs for handling a login submission, besides its body.
    package struct Step: FlowStep {
        package let context: RequestContext
        package let flow: Flow

        /// The current session, which a re-authentication extends, or `nil` if there is none.
        let present: Session?
    }

    package static let kind = FlowKind.login

    private let schemas: SchemaCatalog
    private let time: any TimeSource
    private let lifecycle: FlowLifecycle
    private let forms: FormSettings
    private let sessions: SessionAuthenticator
    private let identities: IdentityRepository
    private let passwords: PasswordLogin
    private let codes: CodeLogin

    package init(
        lifecycle: FlowLifecycle,
        forms: FormSettings,
        sessions: SessionAuthenticator,
        identities: IdentityRepository,
        passwords: PasswordLogin,
        codes: CodeLogin,
        schemas: SchemaCatalog,
        time: any TimeSource
    ) {
        self.lifecycle = lifecycle
        self.forms = forms
        self.sessions = sessions
        self.identities = identities
        self.passwords = passwords
        self.codes = codes
        self.schemas = schemas
        self.time = time
    }

    // MARK: Beginning

    /// Starts a login.
    ///
    /// A caller who already has a session can only re-authenticate or request a second factor.
    ///
    /// - Throws: A ``ServerError`` with status 400 and the id `session_already_available` if the caller has a
    ///   session and requests neither `refresh` nor `aal2`. The status is 401, with the id
    ///   `session_aal1_required`, if the caller requests `aal2` without a session. An invalid query also
    ///   results in status 400. Also throws ``DatabaseError``.
    package func begin(_ context: RequestContext) async throws -> FlowOutcome {
        let request = try lifecycle.request(.login, in: context)
        guard let present = try await sessions.fullSession(of: context) else {
            guard request.aal == .aal1 else {
                throw ServerError(
                    401,
                    id: .sessionAAL1Required,
                    reason: "A second factor can only be requested with an active session."
                )
            }
            // Without a session, there is no user to re-authenticate, so this becomes an ordinary login.
            return .shown(try await lifecycle.begin(.login, for: request.withoutRefresh, in: context))
        }
        guard request.refresh || request.aal == .aal2 else {
            throw ServerError(
                400,
                id: .sessionAlreadyAvailable,
                reason:
                    "A valid session was detected, so login is not possible. Use refresh=true to re-authenticate."
            )
        }
        let form = try await form(for: request, of: present.identity)
        let identity = present.identity.id
        return .shown(
            try await lifecycle.begin(.login, for: request, in: context, identityID: identity, form: form)
        )
    }

    /// Returns the initial form for a re-authentication, filled in with the user's identifier.
    private func form(for request: FlowRequest, of identity: IdentityRecord) async throws -> Form {
        var form = Form()
        if request.refresh { form.messages.append(.reauthenticate) }
        if request.aal == .aal2 { form.messages.append(.secondFactor) }
        // A user who can log in with a code may have several addresses to choose from, so we leave the field
        // empty.
        let schema = request.schema ?? schemas.standard
        guard !FlowMethods(.login, schema: schema, settings: forms).code else { return form }
        if let identifier = try await identities.identifier(of: identity.id) {
            form.values["identifier"] = .string(identifier)
        }
        return form
    }

    package func show(_ context: RequestContext) async throws -> FlowOutcome {
        .shown(try await lifecycle.show(.login, in: context))
    }

    // MARK: Submitting

    /// Accepts a submission if the flow is open.
    ///
    /// If the caller already has a session, the submission is rejected with a message in the form, even if
    /// the flow has ended. This doesn't apply if the flow requests a re-authentication or a second factor.
    ///
    /// - Throws: A ``ServerError`` with status 400 if the query has no valid id, or 404 if the flow doesn't
    ///   exist. Also throws ``DatabaseError``.
    package func admit(_ context: RequestContext) async throws -> FlowAdmission<Step> {
        let flow = try await lifecycle.flow(.login, of: context)
        let present = try await sessions.fullSession(of: context)
        if present != nil, !flow.refresh, flow.requestedAAL == .aal1 {
            let form = Form(messages: [
                .refusal(
                    "A valid session was detected, so login is not possible. Use refresh=true to re-authenticate."
                )
            ])
            return .declined(
                try await lifecycle.refuse(flow, with: form, at: context.now, from: context.peer)
            )
        }
        guard !flow.isOver(at: context.now) else {
            let next = try await lifecycle.replacement(of: flow, at: context.now, from: context.peer)
            return .declined(.expired(next))
        }
        return .admitted(Step(context: context, flow: flow, present: present?.session))
    }

    package func parse(_ submission: Submission, at step: Step) -> FlowInput<LoginInput> {
        let schema = schemas[step.flow.schemaID] ?? schemas.standard
        let methods = FlowMethods.through(step.flow, schema: schema, settings: forms)
        return LoginInput.parse(
            submission,
            in: step.flow,
            methods: methods,
            identifiersAreAddresses: schemas.identifiersAreAddresses
        )
    }

    /// Checks the user's credential, or sends a code.
    ///
    /// If the submission is rejected, the flow's form is updated and no other changes are made. If the flow
    /// has expired or another request has completed it, the outcome is a replacement.
    ///
    /// - Throws: A ``ServerError`` with status 400 if the proof of possession is invalid, or 429 if a rate
    ///   limit has been reached. Also throws ``PasswordHasherError`` and ``DatabaseError``.
    package func perform(_ input: LoginInput, at step: Step) async throws -> FlowOutcome {
        let flow = step.flow
        let request = LoginCompletion.Request(
            context: step.context,
            flow: flow,
            present: step.present,
            key: try KeyBinding(step.context)
        )
        do {
            switch input {
            case .password(let identifier, let password, let form):
                switch try await passwords.attempt(request, identifier: identifier, password: password) {
                case .session(let opened): return .loggedIn(opened)
                case .refused(let message):
                    return try await refuse(step, with: form.with(message), isCounted: true)
                case .unverified(let begun): return .unverified(continuation: begun.map(\.continuation))
                }
            case .sendCode(let identifier, let form):
                switch try await codes.send(to: identifier, in: request) {
                case .sent(let flow): return .waiting(flow)
                case .refused(let message):
                    return try await refuse(step, with: form.with(message), isCounted: false)
                }
            case .checkCode(let code, let identifier, let form):
                switch try await codes.check(code, for: identifier, in: request) {
                case .session(let opened): return .loggedIn(opened)
                case .refused(let message, let isCounted):
                    return try await refuse(step, with: form.with(message), isCounted: isCounted)
                }
            }
        } catch is FlowEnded {
            return .expired(
                try await lifecycle.replacement(of: flow, at: time.now, from: step.context.peer)
            )
        }
    }

    /// Saves the form of a rejected submission with the current time.
    ///
    /// We don't use the time of the request, because hashing a password may have taken a while.
    private func refuse(_ step: Step, with form: Form, isCounted: Bool) async throws -> FlowOutcome {
        try await lifecycle.refuse(
            step.flow,
            with: form,
            at: time.now,
            from: step.context.peer,
            isCounted: isCounted
        )
    }
}
