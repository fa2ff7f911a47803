package import LatchkeyAccounts
import LatchkeyCourier
package import LatchkeyModel
package import LatchkeyServerKit
import LatchkeyWire

/// The routes of verification (`contract/kratos.md`).
///
/// No session is required; a session of the account strengthens the proof of its address.
package struct VerificationEndpoints: Sendable {
    private let urls: ServerURLs
    private let verification: VerificationSettings
    private let schemas: SchemaCatalog
    private let database: any Database
    private let random: any RandomSource
    private let gate: FlowGate
    private let forms: FormSettings
    private let challenge: CodeChallenge
    private let changes: TraitChange
    private let sessions: SessionAuthenticator
    private let prover: AddressProver
    private let networks: KnownNetworks

    package init(
        changes: TraitChange,
        gate: FlowGate,
        forms: FormSettings,
        challenge: CodeChallenge,
        sessions: SessionAuthenticator,
        prover: AddressProver,
        networks: KnownNetworks,
        urls: ServerURLs,
        verification: VerificationSettings,
        schemas: SchemaCatalog,
        database: any Database,
        random: any RandomSource
    ) {
        self.changes = changes
        self.gate = gate
        self.forms = forms
        self.challenge = challenge
        self.sessions = sessions
        self.prover = prover
        self.networks = networks
        self.urls = urls
        self.verification = verification
        self.schemas = schemas
        self.database = database
        self.random = random
    }

    /// The routes of this group.
    package var endpoints: [Endpoint] {
        [
            Endpoint(.get, FlowKind.verification.initPath, operation: .begin(.verification), answer: begin),
            Endpoint(.get, FlowKind.verification.showPath, operation: .show(.verification)) {
                [gate] exchange in
                try await gate.show(.verification, in: exchange)
            },
            Endpoint(.post, FlowKind.verification.path, operation: .submit(.verification), answer: submit),
        ]
    }

    private func begin(_ exchange: Exchange) async throws -> HTTP.Response {
        try refuseIfOff()
        let request = try gate.request(.verification, in: exchange)
        return request.isPlain
            ? gate.begin(.verification, in: exchange, schema: request.schema)
            : try await gate.begin(.verification, for: request, in: exchange)
    }

    /// Sends or checks a code; redirects a submission to an expired flow to a new one, with 303.
    ///
    /// - Throws: 400 if verification is disabled, 410 with a new flow if the flow was completed.
    private func submit(_ exchange: Exchange) async throws -> HTTP.Response {
        try refuseIfOff()
        let now = exchange.now
        let flow = try await gate.flow(.verification, of: exchange)
        guard flow.completedAt == nil else { throw try await replaced(flow, at: now) }
        guard flow.expiresAt > now else {
            let next = try await gate.next(
                after: flow,
                saying: .flowExpired(.verification, at: flow.expiresAt),
                at: now
            )
            let place = urls.selfService + FlowKind.verification.showPath
            return HTTP.Response(303, headers: ["Location": "\(place)?id=\(next.id)"])
        }
        let submission: Submission
        switch try gate.submission(to: flow, in: exchange) {
        case .failure(let refusal):
            return try await gate.refuse(flow, with: Form(messages: [.refusal(refusal.reason)]), at: now)
        case .success(let read): submission = read
        }
        let schema = schemas[flow.schemaID] ?? schemas.standard
        let methods = FlowMethods(.verification, schema: schema, settings: forms)
        switch ChallengeSubmission(submission, in: flow, methods: methods) {
        case .disabled: throw ServerError(404, reason: "This verification method is disabled.")
        case .refused(let form): return try await gate.refuse(flow, with: form, at: now)
        case .sendCode(let address):
            guard let sent = try await challenge.send(to: address, in: flow, for: exchange) else {
                throw try await replaced(flow, at: now)
            }
            return gate.answer(sent, status: 200)
        case .checkCode(let code): return try await check(code, in: flow, for: exchange)
        }
    }

    /// The flow was completed by another request or expired, or its session or pending change is obsolete.
    private struct FlowOver: Error {}

    /// Checks a code and, if it is right, proves its address and completes the flow, in one transaction.
    ///
    /// A wrong code is answered with 200 and a message in the form.
    ///
    /// - Throws: 410 with a new flow if the flow has ended or the code was used or guessed at too often.
    private func check(_ code: OneTimeCode?, in flow: Flow, for exchange: Exchange) async throws
        -> HTTP.Response
    {
        let now = exchange.now
        let caller = try await sessions.anySession(of: exchange)?.session
        do {
            let (verdict, passed, judged) = try await database.transaction { transaction in
                let (verdict, judged) = try challenge.check(code, in: flow, for: exchange, in: transaction) {
                    try prove($0, of: $1, in: flow, by: caller, for: exchange, in: transaction)
                }
                guard case .right(let identity, let address) = verdict else { return (verdict, flow, judged) }
                return (
                    verdict, try pass(flow, of: identity, address: address, for: exchange, in: transaction),
                    judged
                )
            }
            if let judged { prover.sendNotices(of: judged) }
            switch verdict {
            case .right:
                gate.succeeded(.verification, by: "code")
                return gate.answer(passed, status: 200)
            case .wrong, .refused:
                let form = Form(messages: [.wrongCode(.verification)])
                return try await gate.refuse(flow, with: form, at: now, status: 200)
            case .spent: throw try await replaced(flow, at: now)
            }
        } catch is FlowOver {
            throw try await replaced(flow, at: now)
        } catch is IdentityRepository.Duplicate {
            // The caller has the code and so controls the address, and may learn of another account with it.
            return try await gate.refuse(flow, with: Form(messages: [.duplicateIdentifier]), at: now)
        }
    }

    /// Proves the address of a correct code, and applies the change that waits for it.
    ///
    /// A flow that a registration, a login or a settings change started belongs to its account, as long as the
    /// session that it is bound to, if any, is alive. In every other flow, the proof depends on the caller's
    /// own session or network.
    ///
    /// - Throws: ``FlowOver`` if that session has ended or the change can no longer be applied.
    private func prove(
        _ guessed: CodeRepository.Guessed,
        of identity: Identifier,
        in flow: Flow,
        by caller: Session?,
        for exchange: Exchange,
        in transaction: borrowing Transaction
    ) throws -> AddressProver.Judged {
        let now = exchange.now
        // Lock order, as everywhere: the identity's row before the session's.
        guard try IdentityRepository.confirm(identity, in: transaction) else {
            return AddressProver.Judged(verdict: .stale)
        }
        let isBound = flow.identityID == identity
        if isBound, let session = flow.sessionID {
            guard try SessionRepository.hold(session, of: identity, at: now, in: transaction) else {
                throw FlowOver()
            }
        }
        var isCaller = false
        if !isBound, let caller, caller.identityID == identity {
            isCaller = try SessionRepository.hold(caller.id, of: identity, at: now, in: transaction)
        }
        if let change = PendingChange(in: flow), change.address == guessed.address {
            guard let made = try changes.make(change, of: identity, in: flow, for: exchange, in: transaction)
            else { throw FlowOver() }
            return made
        }
        let isNearby = try networks.contains(exchange.peer, of: identity, at: now, in: transaction)
        return try prover.prove(
            AddressProver.Request(
                address: guessed.address,
                identity: identity,
                role: .verification,
                proof: isBound || isCaller ? .inside : isNearby ? .nearby : .outside,
                flow: flow.id,
                exchange: exchange
            ),
            at: now,
            in: transaction
        )
    }

    /// Completes a flow whose code was correct, and writes the verification to the audit log.
    ///
    /// - Throws: ``FlowOver`` if the flow was completed by another request or has expired.
    private func pass(
        _ flow: Flow,
        of identity: Identity,
        address: Traits.Address,
        for exchange: Exchange,
        in transaction: borrowing Transaction
    ) throws -> Flow {
        let now = exchange.now
        let event = AuditEvent(
            .addressVerified,
            of: identity.id,
            by: .user,
            in: exchange,
            about: address.via.rawValue,
            at: now,
            random: random
        )
        try AuditLog.append(event, in: transaction)
        var passed = flow
        passed.state = .passedChallenge
        passed = gate.leadingOn(passed, saying: .verified(address), at: now)
        guard try FlowRepository.complete(passed, at: now, in: transaction) else { throw FlowOver() }
        return passed
    }

    /// Returns the 410 for a flow that was completed or whose code is exhausted; it names a new flow.
    private func replaced(_ flow: Flow, at now: Timestamp) async throws -> ServerError {
        let message = UIMessage.error(.verificationDone, text: .doneOrTriedTooOften)
        let next = try await gate.next(after: flow, saying: message, at: now)
        return .flowReplaced(ServerError.Replacement(flow: next.id, now: now))
    }

    /// Refuses the request with 400 if the operator has disabled verification.
    private func refuseIfOff() throws(ServerError) {
        guard verification.isEnabled else {
            throw .malformed("Address verification is disabled on this server.")
        }
    }
}
