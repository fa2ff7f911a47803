import LatchkeyModel
import LatchkeyWire

/// The routes of registration (`contract/kratos.md`).
package struct RegistrationEndpoints: Sendable {
    private let context: ServerContext
    private let gate: FlowGate
    private let sessions: SessionAuthenticator
    private let passwords: PasswordRegistration
    private let writer: IdentityWriter

    package init(_ context: ServerContext) {
        self.context = context
        gate = FlowGate(context)
        sessions = SessionAuthenticator(context)
        passwords = PasswordRegistration(context)
        writer = IdentityWriter(context)
    }

    /// The places that this answers at.
    package var endpoints: [Endpoint] {
        [
            Endpoint(.get, Route.registrationInit, answer: begin),
            Endpoint(.get, Route.registrationGet) { [gate] in try await gate.show(.registration, $0) },
            Endpoint(.post, Route.registration, answer: submit),
        ]
    }

    private func begin(_ exchange: Exchange) async throws -> HTTPResponse {
        let request = try FlowRequest(exchange, .registration, context)
        try refuseIfClosed((request.schema ?? context.schemas.standard).policy.isOpen)
        try await refuseSession(exchange)
        return request.isPlain
            ? gate.begin(.registration, exchange) : try await gate.begin(.registration, exchange, request)
    }

    private func submit(_ exchange: Exchange) async throws -> HTTPResponse {
        let flow = try await gate.flow(.registration, of: exchange)
        try await refuseSession(exchange)
        try await gate.refuseIfOver(flow, at: exchange.now)
        // A schema that has been taken away, or closed since, takes nobody any more.
        guard let schema = context.schemas[flow.schemaID] else { throw Self.closed }
        try refuseIfClosed(schema.policy.isOpen)
        switch try gate.submission(flow, exchange) {
        case .failure(let refusal):
            return try await gate.refuse(flow, Form(messages: [.refusal(refusal.reason)]), at: exchange.now)
        case .success(let submission):
            return try await answer(submission, flow, schema, exchange)
        }
    }

    private func answer(
        _ submission: Submission,
        _ flow: Flow,
        _ schema: IdentitySchema,
        _ exchange: Exchange
    )
        async throws -> HTTPResponse
    {
        switch RegistrationSubmission(submission, in: flow, schema, context.settings) {
        case .disabled:
            throw ServerError(404, reason: "This way to register is switched off.")
        case .refused(let form):
            return try await gate.refuse(flow, form, at: exchange.now)
        case .password(let traits, let password, let form):
            switch try await passwords.register(traits, password, schema, flow, exchange) {
            case .session(let session, let token, let identity):
                return .json(200, writer.registration(session, token, of: identity))
            case .duplicate:
                return try await gate.refuse(flow, form.with(.duplicateIdentifier), at: context.time.now)
            case .flowOver:
                throw try await gate.over(flow, at: context.time.now)
            }
        }
    }

    private static let closed = ServerError(
        400,
        .flowDisabled,
        reason: "People cannot register here; an operator makes the accounts."
    )

    private func refuseIfClosed(_ isOpen: Bool) throws(ServerError) {
        guard isOpen, context.settings.registrationEnabled else { throw Self.closed }
    }

    private func refuseSession(_ exchange: Exchange) async throws {
        guard try await sessions.wholeSession(of: exchange) == nil else {
            throw ServerError(
                400,
                .sessionAlreadyAvailable,
                reason: "The request came with a session, so there is nobody to register."
            )
        }
    }
}
