package import LatchkeyAccounts
package import LatchkeyModel
package import LatchkeyServerKit
import LatchkeyWire

/// The routes of registration (`contract/kratos.md`).
///
/// Requests with a session are refused.
package struct RegistrationEndpoints: Sendable {
    private let schemas: SchemaCatalog
    private let time: any TimeSource
    private let settings: RegistrationSettings
    private let gate: FlowGate
    private let forms: FormSettings
    private let sessions: SessionAuthenticator
    private let passwords: PasswordRegistration
    private let codes: CodeRegistration
    private let hints: LoginHints
    private let writer: IdentityWriter

    package init(
        settings: RegistrationSettings,
        gate: FlowGate,
        forms: FormSettings,
        sessions: SessionAuthenticator,
        passwords: PasswordRegistration,
        codes: CodeRegistration,
        hints: LoginHints,
        writer: IdentityWriter,
        schemas: SchemaCatalog,
        time: any TimeSource
    ) {
        self.settings = settings
        self.gate = gate
        self.forms = forms
        self.sessions = sessions
        self.passwords = passwords
        self.codes = codes
        self.hints = hints
        self.writer = writer
        self.schemas = schemas
        self.time = time
    }

    /// The routes of this group.
    package var endpoints: [Endpoint] {
        [
            Endpoint(.get, FlowKind.registration.initPath, operation: .begin(.registration), answer: begin),
            Endpoint(.get, FlowKind.registration.showPath, operation: .show(.registration)) {
                [gate] exchange in
                try await gate.show(.registration, in: exchange)
            },
            Endpoint(.post, FlowKind.registration.path, operation: .submit(.registration), answer: submit),
        ]
    }

    private func begin(_ exchange: Exchange) async throws -> HTTP.Response {
        // An unknown schema gets the same response as one that is closed.
        let named = exchange.query["identity_schema"].flatMap { $0.isEmpty ? nil : $0 }
        try refuseIfClosed(named.map { schemas[$0] } ?? schemas.standard)
        let request = try gate.request(.registration, in: exchange)
        try await refuseSession(exchange)
        return request.isPlain
            ? gate.begin(.registration, in: exchange, schema: request.schema)
            : try await gate.begin(.registration, for: request, in: exchange)
    }

    /// Answers a submission with the new identity, or with the flow and a message.
    ///
    /// - Throws: 400 for a request with a session or a closed schema, 410 if the flow has ended or expired.
    private func submit(_ exchange: Exchange) async throws -> HTTP.Response {
        let flow = try await gate.flow(.registration, of: exchange)
        try await refuseSession(exchange)
        try await gate.refuseIfOver(flow, at: exchange.now)
        guard let schema = schemas[flow.schemaID] else { throw Self.closed }
        try refuseIfClosed(schema)
        switch try gate.submission(to: flow, in: exchange) {
        case .failure(let refusal):
            return try await gate.refuse(
                flow,
                with: Form(messages: [.refusal(refusal.reason)]),
                at: exchange.now
            )
        case .success(let submission):
            return try await answer(submission, in: flow, schema: schema, for: exchange)
        }
    }

    /// Runs the method or step that a submission names.
    ///
    /// - Throws: 404 for a disabled method, 410 if the flow has ended meanwhile.
    private func answer(
        _ submission: Submission,
        in flow: Flow,
        schema: IdentitySchema,
        for exchange: Exchange
    )
        async throws -> HTTP.Response
    {
        let key = try KeyBinding(exchange)
        func request(_ traits: Traits) -> RegistrationCompletion.Request {
            RegistrationCompletion.Request(
                exchange: exchange,
                flow: flow,
                schema: schema,
                traits: traits,
                key: key
            )
        }
        switch RegistrationSubmission(submission, in: flow, schema: schema, settings: forms) {
        case .disabled:
            throw ServerError(404, reason: "This registration method is disabled.")
        case .refused(let form):
            return try await gate.refuse(flow, with: form, at: exchange.now)
        case .back(let form):
            return try await step(in: flow, traits: nil, form: form, at: exchange.now)
        case .profile(let traits, let form):
            return try await step(
                in: flow,
                traits: traits,
                form: form.with(.chooseCredential),
                at: exchange.now
            )
        case .password(let traits, let password, let form):
            return try await answer(
                try await passwords.register(request(traits), with: password),
                of: request(traits),
                form: form
            )
        case .sendCode(let traits, let address, let form):
            guard let sent = try await codes.send(to: address, in: request(traits), form: form) else {
                throw try await gate.over(flow, at: time.now)
            }
            return gate.answer(sent)
        case .checkCode(let code, let traits, let form):
            return try await answer(
                try await codes.register(request(traits), with: code),
                of: request(traits),
                form: form
            )
        }
    }

    /// Turns the outcome of a registration into a response.
    private func answer(
        _ outcome: RegistrationOutcome,
        of request: RegistrationCompletion.Request,
        form: Form
    ) async throws -> HTTP.Response {
        let flow = request.flow
        switch outcome {
        case .registered(let registered):
            gate.succeeded(.registration, by: registered.method)
            return .json(200, body: writer.registration(registered))
        case .refused(let message, let field?):
            var form = form
            form.refuse(field, with: message)
            return try await gate.refuse(flow, with: form, at: time.now)
        case .refused(let message, nil):
            return try await gate.refuse(flow, with: form.with(message), at: time.now)
        case .duplicate:
            let message = try await hints.refusal(of: request.traits)
            return try await gate.refuse(flow, with: form.with(message), at: time.now)
        case .flowOver: throw try await gate.over(flow, at: time.now)
        }
    }

    /// Moves to the choice of a credential; back to the first step if `traits` is `nil`.
    private func step(in flow: Flow, traits: Traits?, form: Form, at now: Timestamp) async throws
        -> HTTP.Response
    {
        var flow = flow
        flow.state = .chooseMethod
        flow.active = nil
        flow.traits = traits?.json
        return try await gate.refuse(flow, with: form, at: now)
    }

    private static let closed = ServerError(
        400,
        id: .flowDisabled,
        reason: "Registration is disabled for this identity schema."
    )

    /// Refuses a schema that is unknown or not open for registration, with 400.
    private func refuseIfClosed(_ schema: IdentitySchema?) throws(ServerError) {
        guard let schema, settings.isOpen(for: schema, standard: schemas.standard) else { throw Self.closed }
    }

    /// Refuses a request with a session, with 400.
    private func refuseSession(_ exchange: Exchange) async throws {
        guard try await sessions.wholeSession(of: exchange) == nil else {
            throw ServerError(
                400,
                id: .sessionAlreadyAvailable,
                reason: "A valid session was detected, so registration is not possible."
            )
        }
    }
}
