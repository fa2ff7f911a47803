package import LatchkeyAccounts
package import LatchkeyModel
package import LatchkeyServerKit
import LatchkeyWire

/// The routes of login (`contract/kratos.md`).
package struct LoginEndpoints: Sendable {
    private let schemas: SchemaCatalog
    private let time: any TimeSource
    private let gate: FlowGate
    private let forms: FormSettings
    private let sessions: SessionAuthenticator
    private let identities: IdentityRepository
    private let passwords: PasswordLogin
    private let codes: CodeLogin
    private let writer: IdentityWriter

    package init(
        gate: FlowGate,
        forms: FormSettings,
        sessions: SessionAuthenticator,
        identities: IdentityRepository,
        passwords: PasswordLogin,
        codes: CodeLogin,
        writer: IdentityWriter,
        schemas: SchemaCatalog,
        time: any TimeSource
    ) {
        self.gate = gate
        self.forms = forms
        self.sessions = sessions
        self.identities = identities
        self.passwords = passwords
        self.codes = codes
        self.writer = writer
        self.schemas = schemas
        self.time = time
    }

    /// The routes of this group.
    package var endpoints: [Endpoint] {
        [
            Endpoint(.get, FlowKind.login.initPath, operation: .begin(.login), answer: begin),
            Endpoint(.get, FlowKind.login.showPath, operation: .show(.login)) { [gate] exchange in
                try await gate.show(.login, in: exchange)
            },
            Endpoint(.post, FlowKind.login.path, operation: .submit(.login), answer: submit),
        ]
    }

    /// Begins a login; for a caller with a session, only a re-authentication or a second factor.
    ///
    /// - Throws: 400 for a session without `refresh` or `aal=aal2`, 401 for `aal=aal2` without a session.
    private func begin(_ exchange: Exchange) async throws -> HTTP.Response {
        let request = try gate.request(.login, in: exchange)
        guard let present = try await sessions.wholeSession(of: exchange) else {
            guard request.aal == "aal1" else {
                throw ServerError(
                    401,
                    id: .sessionAAL1Required,
                    reason: "A second factor can only be requested with an active session."
                )
            }
            // Without a session there is no user to re-authenticate: this is an ordinary login.
            let request = request.withoutRefresh
            return request.isPlain
                ? gate.begin(.login, in: exchange, schema: request.schema)
                : try await gate.begin(.login, for: request, in: exchange)
        }
        guard request.refresh || request.aal == "aal2" else {
            throw ServerError(
                400,
                id: .sessionAlreadyAvailable,
                reason:
                    "A valid session was detected, so login is not possible. Use refresh=true to re-authenticate."
            )
        }
        return try await gate.begin(
            .login,
            for: request,
            in: exchange,
            identityID: present.identity.id,
            form: try await form(for: request, of: present.identity)
        )
    }

    /// Creates the form for a user who is logged in and has to authenticate again.
    private func form(for request: FlowRequest, of identity: IdentityRecord) async throws -> Form {
        var form = Form()
        if request.refresh { form.messages.append(.reauthenticate) }
        if request.aal == "aal2" { form.messages.append(.secondFactor) }
        // A user who can log in with a code may have several addresses to choose from, so none is filled in.
        let schema = request.schema ?? schemas.standard
        guard !FlowMethods(.login, schema: schema, settings: forms).code else { return form }
        if let identifier = try await identities.identifier(of: identity.id) {
            form.values["identifier"] = .string(identifier)
        }
        return form
    }

    /// Answers a submission with a session, or with the flow and a message.
    ///
    /// - Throws: 410 if the flow was completed or has expired; see also ``answer(_:for:)``.
    private func submit(_ exchange: Exchange) async throws -> HTTP.Response {
        let flow = try await gate.flow(.login, of: exchange)
        let present = try await sessions.wholeSession(of: exchange)
        if present != nil, !flow.refresh, flow.requestedAAL == "aal1" {
            let form = Form(messages: [
                .refusal(
                    "A valid session was detected, so login is not possible. Use refresh=true to re-authenticate."
                )
            ])
            return try await gate.refuse(flow, with: form, at: exchange.now)
        }
        try await gate.refuseIfOver(flow, at: exchange.now)
        switch try gate.submission(to: flow, in: exchange) {
        case .failure(let refusal):
            return try await gate.refuse(
                flow,
                with: Form(messages: [.refusal(refusal.reason)]),
                at: exchange.now
            )
        case .success(let submission):
            let request = LoginCompletion.Request(
                exchange: exchange,
                flow: flow,
                present: present?.session,
                key: try KeyBinding(exchange)
            )
            return try await answer(submission, for: request)
        }
    }

    /// Runs the method that a submission names, and turns its outcome into a response.
    ///
    /// - Throws: 403 without a verified address, 404 for a disabled method, 410 if the flow ended meanwhile.
    private func answer(_ submission: Submission, for request: LoginCompletion.Request) async throws
        -> HTTP.Response
    {
        let flow = request.flow
        let schema = schemas[flow.schemaID] ?? schemas.standard
        switch LoginSubmission(
            submission,
            in: flow,
            methods: FlowMethods.through(flow, schema: schema, settings: forms)
        ) {
        case .disabled:
            throw ServerError(404, reason: "This login method is disabled.")
        case .refused(let form):
            return try await gate.refuse(flow, with: form, at: request.exchange.now)
        case .password(let identifier, let password, let form):
            switch try await passwords.attempt(request, identifier: identifier, password: password) {
            case .session(let opened): return success(opened)
            case .refused(let message): return try await refuse(flow, with: form.with(message))
            case .unverified(let begun): throw Self.unverified(begun)
            case .flowOver: throw try await gate.over(flow, at: time.now)
            }
        case .sendCode(let identifier, let form):
            switch try await codes.send(to: identifier, in: request) {
            case .sent(let flow): return gate.answer(flow)
            case .refused(let message): return try await refuse(flow, with: form.with(message))
            case .flowOver: throw try await gate.over(flow, at: time.now)
            }
        case .checkCode(let code, let identifier, let form):
            switch try await codes.check(code, for: identifier, in: request) {
            case .session(let opened): return success(opened)
            case .refused(let message): return try await refuse(flow, with: form.with(message))
            case .flowOver: throw try await gate.over(flow, at: time.now)
            }
        }
    }

    /// Returns the 403 for a login without a verified address; as in Kratos, the body has the code 400.
    private static func unverified(_ begun: [VerificationSending.Begun]) -> ServerError {
        ServerError(
            403,
            id: .verifiedAddressRequired,
            code: 400,
            reason: "An address of the account must be verified before login.",
            continuation: begun.map { .verification(flow: $0.flow, address: $0.address.value) }
        )
    }

    /// Answers a login with its session and token, and counts it in the metrics.
    private func success(_ opened: LoginCompletion.Opened) -> HTTP.Response {
        gate.succeeded(.login, by: opened.session.method)
        return .json(200, body: writer.login(opened.session, token: opened.token, of: opened.identity))
    }

    private func refuse(_ flow: Flow, with form: Form) async throws -> HTTP.Response {
        try await gate.refuse(flow, with: form, at: time.now)
    }
}
