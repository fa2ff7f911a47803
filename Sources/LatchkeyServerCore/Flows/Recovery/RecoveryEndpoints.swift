import LatchkeyModel
import LatchkeyWire

/// The routes of recovery (`contract/kratos.md`).
package struct RecoveryEndpoints: Sendable {
    private let context: ServerContext
    private let gate: FlowGate
    private let sessions: SessionAuthenticator
    private let challenge: CodeChallenge
    private let completion: RecoveryCompletion

    package init(_ context: ServerContext, courier: Courier) {
        self.context = context
        gate = FlowGate(context)
        sessions = SessionAuthenticator(context)
        challenge = CodeChallenge(context, courier: courier)
        completion = RecoveryCompletion(context)
    }

    /// The places that this answers at.
    package var endpoints: [Endpoint] {
        [
            Endpoint(.get, FlowKind.recovery.initPath, .begin(.recovery), answer: begin),
            Endpoint(.get, FlowKind.recovery.showPath, .show(.recovery)) { [gate] exchange in
                try await gate.show(.recovery, exchange)
            },
            Endpoint(.post, FlowKind.recovery.path, .submit(.recovery), answer: submit),
        ]
    }

    private func begin(_ exchange: Exchange) async throws -> HTTPResponse {
        try refuseIfOff()
        let request = try FlowRequest(exchange, .recovery, context)
        try await refuseSession(exchange)
        return request.isPlain
            ? gate.begin(.recovery, exchange) : try await gate.begin(.recovery, exchange, request)
    }

    private func submit(_ exchange: Exchange) async throws -> HTTPResponse {
        try refuseIfOff()
        let now = exchange.now
        let flow = try await gate.flow(.recovery, of: exchange)
        try await refuseSession(exchange)
        guard flow.completedAt == nil else { return try await done(flow, at: now) }
        try await gate.refuseIfOver(flow, at: now)
        let submission: Submission
        switch try gate.submission(flow, exchange) {
        case .failure(let refusal):
            return try await gate.refuse(flow, Form(messages: [.refusal(refusal.reason)]), at: now)
        case .success(let read): submission = read
        }
        let schema = context.schemas[flow.schemaID] ?? context.schemas.standard
        switch ChallengeSubmission(submission, in: flow, FlowMethods(.recovery, schema, context.settings)) {
        case .disabled: throw ServerError(404, reason: "This way to get back in is switched off.")
        case .refused(let form): return try await gate.refuse(flow, form, at: now)
        case .sendCode(let address):
            guard let sent = try await challenge.send(to: address, in: flow, for: exchange) else {
                return try await done(flow, at: now)
            }
            return gate.answer(sent, 200)
        case .checkCode(let code): return try await check(code, flow, exchange)
        }
    }

    private func check(_ code: OneTimeCode?, _ flow: Flow, _ exchange: Exchange) async throws -> HTTPResponse
    {
        let now = exchange.now
        do {
            let outcome = try await context.database.transaction { [challenge, completion] transaction in
                let verdict = try challenge.check(code, in: flow, at: now, in: transaction)
                guard case .right(let identity, _) = verdict else {
                    return (verdict, RecoveryCompletion.Recovered?.none)
                }
                return (verdict, try completion.open(identity, flow, exchange, at: now, in: transaction))
            }
            switch outcome {
            case (_, let recovered?):
                gate.succeeded(.recovery, by: "code")
                return gate.answer(
                    recovered.flow,
                    200,
                    continuation: [
                        .sessionToken(recovered.token.secret), .settings(flow: recovered.settings.id),
                    ]
                )
            case (.spent, nil): throw try await tooManyTries(flow, at: now)
            case (_, nil):
                return try await gate.refuse(flow, Form(messages: [.wrongCode(.recovery)]), at: now, 200)
            }
        } catch is RecoveryCompletion.FlowOver {
            return try await done(flow, at: now)
        }
    }

    /// The refusal after too many guesses: a new flow is needed.
    private func tooManyTries(_ flow: Flow, at now: Timestamp) async throws -> ServerError {
        let next = try await gate.next(after: flow, saying: .codeExhausted, at: now)
        return ServerError(
            400,
            reason: "There were too many wrong codes; begin again with the flow in continue_with.",
            continuation: [.recovery(flow: next.id)]
        )
    }

    /// The answer to a submit to a recovery that has succeeded: a new flow that says so.
    private func done(_ flow: Flow, at now: Timestamp) async throws -> HTTPResponse {
        let message = UIMessage.error(.recoveryDone, .usedAlready)
        return gate.answer(try await gate.next(after: flow, saying: message, at: now), 200)
    }

    private func refuseIfOff() throws(ServerError) {
        guard context.settings.recoveryEnabled else {
            throw .malformed("This server does not let people back into their accounts; ask its operator.")
        }
    }

    private func refuseSession(_ exchange: Exchange) async throws {
        guard try await sessions.wholeSession(of: exchange) == nil else {
            throw ServerError(
                400,
                .sessionAlreadyAvailable,
                reason: "The request came with a session, so there is nobody to let back in."
            )
        }
    }
}
