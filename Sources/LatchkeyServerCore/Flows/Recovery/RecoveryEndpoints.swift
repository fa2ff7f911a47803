import LatchkeyModel
import LatchkeyWire

/// The routes of recovery (`contract/kratos.md`).
package struct RecoveryEndpoints: Sendable {
    private let context: ServerContext
    private let gate: FlowGate
    private let sessions: SessionAuthenticator
    private let challenge: CodeChallenge
    private let completion: RecoveryCompletion
    private let prover: AddressProver

    package init(_ context: ServerContext, courier: Courier) {
        self.context = context
        gate = FlowGate(context)
        sessions = SessionAuthenticator(context)
        challenge = CodeChallenge(context, courier: courier)
        completion = RecoveryCompletion(context, courier: courier)
        prover = AddressProver(context, courier: courier)
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
            ? gate.begin(.recovery, exchange, request.schema)
            : try await gate.begin(.recovery, exchange, request)
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
        let key = try KeyBinding(exchange)
        do {
            let (verdict, judged, recovered) = try await context.database.transaction { transaction in
                let (verdict, judged) = try challenge.check(code, in: flow, for: exchange, in: transaction) {
                    try prove($0, $1, flow, exchange, in: transaction)
                }
                guard case .right(let identity, let address) = verdict else {
                    return (verdict, judged, RecoveryCompletion.Recovered?.none)
                }
                let recovered = try completion.open(
                    identity,
                    RecoveryCompletion.Request(flow: flow, address: address, exchange: exchange, key: key),
                    in: transaction
                )
                return (verdict, judged, recovered)
            }
            if let judged { prover.sendNotices(of: judged) }
            switch (verdict, recovered) {
            case (_, let recovered?):
                completion.sendNotices(of: recovered)
                gate.succeeded(.recovery, by: "code")
                return gate.answer(
                    recovered.flow,
                    200,
                    continuation: [
                        .sessionToken(recovered.token.secret), .settings(flow: recovered.settings.id),
                    ]
                )
            case (.spent, nil): throw try await tooManyTries(flow, at: now)
            case (.refused, nil):
                return try await gate.refuse(flow, Form(messages: [.addressNotProven]), at: now)
            case (_, nil):
                return try await gate.refuse(flow, Form(messages: [.wrongCode(.recovery)]), at: now, 200)
            }
        } catch is IdentityRepository.Duplicate {
            return try await gate.refuse(flow, Form(messages: [.addressNotProven]), at: now)
        } catch is RecoveryCompletion.FlowOver {
            return try await done(flow, at: now)
        }
    }

    /// Proves the address of a right code; one that the operator handed out proves no address.
    private func prove(
        _ guessed: CodeRepository.Guessed,
        _ identity: Identifier,
        _ flow: Flow,
        _ exchange: Exchange,
        in transaction: borrowing Transaction
    ) throws -> AddressProver.Judged {
        if guessed.address.isIdentity(identity) {
            return try enterByOperatorsCode(identity, at: exchange.now, in: transaction)
        }
        return try prover.prove(
            AddressProver.Request(
                address: guessed.address,
                identity: identity,
                role: .recovery,
                proof: .entry,
                flow: flow.id,
                exchange: exchange
            ),
            at: exchange.now,
            in: transaction
        )
    }

    /// Lets a user in to whom the operator handed a code: the operator vouches for them, so the account is confirmed.
    ///
    /// A password of an unconfirmed account may be that of someone else, and is removed.
    private func enterByOperatorsCode(
        _ identity: Identifier,
        at now: Timestamp,
        in transaction: borrowing Transaction
    ) throws -> AddressProver.Judged {
        guard
            try IdentityRepository.confirm(identity, in: transaction),
            let old = try IdentityRepository.load(identity, in: transaction)
        else { return AddressProver.Judged(verdict: .stale) }
        guard old.confirmedAt == nil else { return AddressProver.Judged(verdict: .granted(old)) }
        _ = try IdentityRepository.removePassword(of: identity, in: transaction)
        let new = old.confirming(at: now)
        try IdentityRepository.save(new, replacing: old, in: transaction)
        return AddressProver.Judged(verdict: .granted(new))
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
