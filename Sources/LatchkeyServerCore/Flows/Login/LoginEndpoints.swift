import LatchkeyModel
import LatchkeyWire

/// The routes of login (`contract/kratos.md`).
package struct LoginEndpoints: Sendable {
    private let context: ServerContext
    private let gate: FlowGate
    private let sessions: SessionAuthenticator
    private let identities: IdentityRepository
    private let passwords: PasswordLogin
    private let writer: IdentityWriter

    package init(_ context: ServerContext) {
        self.context = context
        gate = FlowGate(context)
        sessions = SessionAuthenticator(context)
        identities = IdentityRepository(context)
        passwords = PasswordLogin(context)
        writer = IdentityWriter(context)
    }

    /// The places that this answers at.
    package var endpoints: [Endpoint] {
        [
            Endpoint(.get, Route.loginInit, answer: begin),
            Endpoint(.get, Route.loginGet) { [gate] in try await gate.show(.login, $0) },
            Endpoint(.post, Route.login, answer: submit),
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
                ? gate.begin(.login, exchange) : try await gate.begin(.login, exchange, request)
        }
        guard request.refresh || request.aal == "aal2" else {
            throw ServerError(
                400,
                .sessionAlreadyAvailable,
                reason: "The request came with a session; refresh=true asks its owner to log in again."
            )
        }
        var form = Form()
        if request.refresh { form.messages.append(.reauthenticate) }
        if request.aal == "aal2" { form.messages.append(.secondFactor) }
        if let identifier = try await identities.identifier(of: present.identity.id) {
            form.values["identifier"] = .string(identifier)
        }
        return try await gate.begin(
            .login,
            exchange,
            request,
            identityID: present.identity.id,
            form: form
        )
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
            return try await answer(submission, flow, exchange, present?.session)
        }
    }

    private func answer(_ submission: Submission, _ flow: Flow, _ exchange: Exchange, _ present: Session?)
        async throws
        -> HTTPResponse
    {
        switch LoginSubmission(submission, in: flow, passwordEnabled: context.settings.passwordEnabled) {
        case .disabled:
            throw ServerError(404, reason: "This way to log in is switched off.")
        case .refused(let form):
            return try await gate.refuse(flow, form, at: exchange.now)
        case .password(let identifier, let password, let form):
            let attempt = PasswordLogin.Attempt(
                exchange: exchange,
                flow: flow,
                identifier: identifier,
                password: password,
                present: present
            )
            switch try await passwords.attempt(attempt) {
            case .session(let session, let token, let identity):
                return .json(200, writer.login(session, token, of: identity))
            case .refused(let message):
                return try await gate.refuse(flow, form.with(message), at: context.time.now)
            case .flowOver:
                throw try await gate.over(flow, at: context.time.now)
            }
        }
    }
}
