import LatchkeyModel
import LatchkeyWire

/// The routes of login (`contract/kratos.md`).
package struct LoginEndpoints: Sendable {
    private let context: ServerContext
    private let gate: FlowGate
    private let sessions: SessionAuthenticator
    private let identities: IdentityRepository
    private let passwords: PasswordLogin
    private let codes: CodeLogin
    private let writer: IdentityWriter

    package init(_ context: ServerContext, courier: Courier) {
        self.context = context
        gate = FlowGate(context)
        sessions = SessionAuthenticator(context)
        identities = IdentityRepository(context)
        passwords = PasswordLogin(context, courier: courier)
        codes = CodeLogin(context, courier: courier)
        writer = IdentityWriter(context)
    }

    /// The places that this answers at.
    package var endpoints: [Endpoint] {
        [
            Endpoint(.get, FlowKind.login.initPath, .begin(.login), answer: begin),
            Endpoint(.get, FlowKind.login.showPath, .show(.login)) { [gate] exchange in
                try await gate.show(.login, exchange)
            },
            Endpoint(.post, FlowKind.login.path, .submit(.login), answer: submit),
        ]
    }

    private func begin(_ exchange: Exchange) async throws -> HTTPResponse {
        let request = try FlowRequest(exchange, .login, context)
        guard let present = try await sessions.wholeSession(of: exchange) else {
            guard request.aal == "aal1" else {
                throw ServerError(
                    401,
                    .sessionAAL1Required,
                    reason: "A second factor can be asked for only where there is a session."
                )
            }
            // Without a session there is nobody to prove anything again: it is a login like any other.
            let request = request.withoutRefresh
            return request.isPlain
                ? gate.begin(.login, exchange, request.schema)
                : try await gate.begin(.login, exchange, request)
        }
        guard request.refresh || request.aal == "aal2" else {
            throw ServerError(
                400,
                .sessionAlreadyAvailable,
                reason: "The request came with a session; refresh=true asks its owner to log in again."
            )
        }
        return try await gate.begin(
            .login,
            exchange,
            request,
            identityID: present.identity.id,
            form: try await form(request, present.identity)
        )
    }

    /// The form of somebody who is logged in and proves it again.
    private func form(_ request: FlowRequest, _ identity: IdentityRecord) async throws -> Form {
        var form = Form()
        if request.refresh { form.messages.append(.reauthenticate) }
        if request.aal == "aal2" { form.messages.append(.secondFactor) }
        // Where a code can be asked for, one may have several addresses, and chooses.
        let schema = request.schema ?? context.schemas.standard
        guard !FlowMethods(.login, schema, context.settings).code else { return form }
        if let identifier = try await identities.identifier(of: identity.id) {
            form.values["identifier"] = .string(identifier)
        }
        return form
    }

    private func submit(_ exchange: Exchange) async throws -> HTTPResponse {
        let flow = try await gate.flow(.login, of: exchange)
        let present = try await sessions.wholeSession(of: exchange)
        if present != nil, !flow.refresh, flow.requestedAAL == "aal1" {
            let form = Form(messages: [
                .refusal("Somebody is logged in; refresh=true asks them to log in again.")
            ])
            return try await gate.refuse(flow, form, at: exchange.now)
        }
        try await gate.refuseIfOver(flow, at: exchange.now)
        switch try gate.submission(flow, exchange) {
        case .failure(let refusal):
            return try await gate.refuse(flow, Form(messages: [.refusal(refusal.reason)]), at: exchange.now)
        case .success(let submission):
            let request = LoginCompletion.Request(
                exchange: exchange,
                flow: flow,
                present: present?.session,
                key: try KeyBinding(exchange)
            )
            return try await answer(submission, request)
        }
    }

    private func answer(_ submission: Submission, _ request: LoginCompletion.Request) async throws
        -> HTTPResponse
    {
        let flow = request.flow
        let schema = context.schemas[flow.schemaID] ?? context.schemas.standard
        switch LoginSubmission(submission, in: flow, FlowMethods.through(flow, schema, context.settings)) {
        case .disabled:
            throw ServerError(404, reason: "This way to log in is switched off.")
        case .refused(let form):
            return try await gate.refuse(flow, form, at: request.exchange.now)
        case .password(let identifier, let password, let form):
            switch try await passwords.attempt(request, identifier: identifier, password) {
            case .session(let opened): return success(opened)
            case .refused(let message): return try await refuse(flow, form.with(message))
            case .unverified(let begun): throw Self.unverified(begun)
            case .flowOver: throw try await gate.over(flow, at: context.time.now)
            }
        case .sendCode(let identifier, let form):
            switch try await codes.send(to: identifier, request) {
            case .sent(let flow): return gate.answer(flow)
            case .refused(let message): return try await refuse(flow, form.with(message))
            case .flowOver: throw try await gate.over(flow, at: context.time.now)
            }
        case .checkCode(let code, let identifier, let form):
            switch try await codes.check(code, for: identifier, request) {
            case .session(let opened): return success(opened)
            case .refused(let message): return try await refuse(flow, form.with(message))
            case .flowOver: throw try await gate.over(flow, at: context.time.now)
            }
        }
    }

    /// Kratos says 403 in the status line, and 400 in the body.
    private static func unverified(_ begun: [VerificationSending.Begun]) -> ServerError {
        ServerError(
            403,
            .verifiedAddressRequired,
            code: 400,
            reason: "An address has to be verified before its owner can log in.",
            continuation: begun.map { .verification(flow: $0.flow, address: $0.address.value) }
        )
    }

    private func success(_ opened: LoginCompletion.Opened) -> HTTPResponse {
        gate.succeeded(.login, by: opened.session.method)
        return .json(200, writer.login(opened.session, opened.token, of: opened.identity))
    }

    private func refuse(_ flow: Flow, _ form: Form) async throws -> HTTPResponse {
        try await gate.refuse(flow, form, at: context.time.now)
    }
}
