package import LatchkeyAccounts
import LatchkeyModel
package import LatchkeyServerKit
import LatchkeyWire

/// The routes of recovery (`contract/kratos.md`).
///
/// Requests with a session are refused. Addresses with and without an account get the same responses.
package struct RecoveryEndpoints: Sendable {
    private let settings: RecoverySettings
    private let schemas: SchemaCatalog
    private let database: any Database
    private let gate: FlowGate
    private let forms: FormSettings
    private let sessions: SessionAuthenticator
    private let challenge: CodeChallenge
    private let completion: RecoveryCompletion
    private let prover: AddressProver

    package init(
        gate: FlowGate,
        forms: FormSettings,
        sessions: SessionAuthenticator,
        challenge: CodeChallenge,
        completion: RecoveryCompletion,
        prover: AddressProver,
        settings: RecoverySettings,
        schemas: SchemaCatalog,
        database: any Database
    ) {
        self.gate = gate
        self.forms = forms
        self.sessions = sessions
        self.challenge = challenge
        self.completion = completion
        self.prover = prover
        self.settings = settings
        self.schemas = schemas
        self.database = database
    }

    /// The routes of this group.
    package var endpoints: [Endpoint] {
        [
            Endpoint(.get, FlowKind.recovery.initPath, operation: .begin(.recovery), answer: begin),
            Endpoint(.get, FlowKind.recovery.showPath, operation: .show(.recovery)) { [gate] exchange in
                try await gate.show(.recovery, in: exchange)
            },
            Endpoint(.post, FlowKind.recovery.path, operation: .submit(.recovery), answer: submit),
        ]
    }

    private func begin(_ exchange: Exchange) async throws -> HTTP.Response {
        try refuseIfOff()
        let request = try gate.request(.recovery, in: exchange)
        try await refuseSession(exchange)
        return request.isPlain
            ? gate.begin(.recovery, in: exchange, schema: request.schema)
            : try await gate.begin(.recovery, for: request, in: exchange)
    }

    /// Sends or checks a code; answers a submission to a completed flow with a new one.
    ///
    /// - Throws: 400 if recovery is disabled or the request has a session, 410 if the flow has expired.
    private func submit(_ exchange: Exchange) async throws -> HTTP.Response {
        try refuseIfOff()
        let now = exchange.now
        let flow = try await gate.flow(.recovery, of: exchange)
        try await refuseSession(exchange)
        guard flow.completedAt == nil else { return try await done(flow, at: now) }
        try await gate.refuseIfOver(flow, at: now)
        let submission: Submission
        switch try gate.submission(to: flow, in: exchange) {
        case .failure(let refusal):
            return try await gate.refuse(flow, with: Form(messages: [.refusal(refusal.reason)]), at: now)
        case .success(let read): submission = read
        }
        let schema = schemas[flow.schemaID] ?? schemas.standard
        switch ChallengeSubmission(
            submission,
            in: flow,
            methods: FlowMethods(.recovery, schema: schema, settings: forms)
        ) {
        case .disabled: throw ServerError(404, reason: "This recovery method is disabled.")
        case .refused(let form): return try await gate.refuse(flow, with: form, at: now)
        case .sendCode(let address):
            guard let sent = try await challenge.send(to: address, in: flow, for: exchange) else {
                return try await done(flow, at: now)
            }
            return gate.answer(sent, status: 200)
        case .checkCode(let code): return try await check(code, in: flow, for: exchange)
        }
    }

    /// Checks a code and completes the recovery if it is right, in one transaction.
    ///
    /// A wrong code is answered with 200 and a message in the form.
    ///
    /// - Throws: 400 with a new flow if the code was used or guessed at too often.
    private func check(_ code: OneTimeCode?, in flow: Flow, for exchange: Exchange) async throws
        -> HTTP.Response
    {
        let now = exchange.now
        let key = try KeyBinding(exchange)
        do {
            let (verdict, judged, recovered) = try await database.transaction { transaction in
                let (verdict, judged) = try challenge.check(code, in: flow, for: exchange, in: transaction) {
                    try prove($0, of: $1, in: flow, for: exchange, in: transaction)
                }
                guard case .right(let identity, let address) = verdict else {
                    return (verdict, judged, RecoveryCompletion.Recovered?.none)
                }
                let recovered = try completion.open(
                    identity,
                    for: RecoveryCompletion.Request(
                        flow: flow,
                        address: address,
                        exchange: exchange,
                        key: key
                    ),
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
                    status: 200,
                    continuation: [
                        .sessionToken(recovered.token.secret), .settings(flow: recovered.settings.id),
                    ]
                )
            case (.spent, nil): throw try await tooManyTries(flow, at: now)
            case (.refused, nil):
                return try await gate.refuse(flow, with: Form(messages: [.addressNotProven]), at: now)
            case (_, nil):
                return try await gate.refuse(
                    flow,
                    with: Form(messages: [.wrongCode(.recovery)]),
                    at: now,
                    status: 200
                )
            }
        } catch is IdentityRepository.Duplicate {
            return try await gate.refuse(flow, with: Form(messages: [.addressNotProven]), at: now)
        } catch is RecoveryCompletion.FlowOver {
            return try await done(flow, at: now)
        }
    }

    /// Proves the address of a correct code; a code that the operator handed out proves no address.
    private func prove(
        _ guessed: CodeRepository.Guessed,
        of identity: Identifier,
        in flow: Flow,
        for exchange: Exchange,
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

    /// Admits a user with a code from the operator, who vouches for them, and confirms the account.
    ///
    /// The password of an unconfirmed account may be that of another user, and is removed.
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

    /// Returns the refusal of a flow whose code was used or guessed at too often; it names a new flow.
    private func tooManyTries(_ flow: Flow, at now: Timestamp) async throws -> ServerError {
        let next = try await gate.next(after: flow, saying: .codeExhausted, at: now)
        return ServerError(
            400,
            reason: "Too many wrong codes were submitted. Start again with the flow in continue_with.",
            continuation: [.recovery(flow: next.id)]
        )
    }

    /// Answers a submission to a completed recovery with a new flow, which has a message about it.
    private func done(_ flow: Flow, at now: Timestamp) async throws -> HTTP.Response {
        let message = UIMessage.error(.recoveryDone, text: .usedAlready)
        return gate.answer(try await gate.next(after: flow, saying: message, at: now), status: 200)
    }

    /// Refuses the request with 400 if the operator has disabled recovery.
    private func refuseIfOff() throws(ServerError) {
        guard settings.isEnabled else {
            throw .malformed("Account recovery is disabled on this server.")
        }
    }

    /// Refuses a request with a session, with 400.
    private func refuseSession(_ exchange: Exchange) async throws {
        guard try await sessions.wholeSession(of: exchange) == nil else {
            throw ServerError(
                400,
                id: .sessionAlreadyAvailable,
                reason: "A valid session was detected, so recovery is not possible."
            )
        }
    }
}
