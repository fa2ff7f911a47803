import LatchkeyAccounts
import LatchkeyCourier
import LatchkeyModel
import LatchkeyServerKit
import LatchkeyWire

/// Sends and checks registration codes, and creates identities that log in with codes.
///
/// An existing account is revealed only after the caller has entered a correct code, which proves control of
/// the address.
struct CodeRegistration: FlowMethod {
    private let database: any Database
    private let lifecycle: FlowLifecycle
    private let sender: CodeSender
    private let verifier: CodeVerifier
    private let completion: RegistrationCompletion
    private let claims: ClaimedAddresses
    private let prover: AddressProver
    private let limiter: Limiter
    private let refusals: RegistrationRefusals

    let form: CodeRegistrationForm

    init(_ services: MethodServices) {
        form = CodeRegistrationForm(settings: services.forms)
        refusals = RegistrationRefusals(services)
        lifecycle = services.lifecycle
        sender = services.sender
        verifier = services.verifier
        completion = services.registration
        claims = services.claims
        prover = services.prover
        limiter = services.accounts.limiter
        database = services.environment.database
    }

    func perform(_ input: CodeRegistrationForm.Input, in context: FlowContext) async throws -> FlowOutcome {
        switch input {
        case .send(let traits, let address, let form):
            let request = try RegistrationCompletion.Request(context, traits: traits)
            return .waiting(try await send(to: address, in: request, form: form))
        case .check(let code, let traits, let answers, let form):
            let request = try RegistrationCompletion.Request(context, traits: traits, answers: answers)
            let outcome = try await register(request, with: code)
            return try await refusals.outcome(of: outcome, to: request, form: form)
        case .complete(let traits, let answers, let form):
            let request = try RegistrationCompletion.Request(context, traits: traits, answers: answers)
            let outcome = try await complete(request)
            return try await refusals.outcome(of: outcome, to: request, form: form)
        }
    }

    /// Sends a code that is valid only for the traits in the request.
    ///
    /// Earlier wrong guesses still count toward the limit. If no guesses are left, no code is sent, because it
    /// couldn't be entered.
    ///
    /// The flow, including its traits and form, is saved in the same transaction as the code. This method
    /// doesn't look up any accounts.
    ///
    /// - Parameters:
    ///   - address: The address to send the code to, which must be one of the traits and may already have an
    ///     account.
    ///   - request: The registration request, whose traits are stored in the flow.
    ///   - form: The form to show while the flow is waiting for the code.
    /// - Returns: The flow that is waiting for the code.
    /// - Throws: ``FlowEnded`` if another request has completed the flow, or a ``ServerError`` with status
    ///   429 if a rate limit for sending codes has been reached. In both cases, neither the flow nor the code
    ///   is saved. Codes to claimed addresses don't cause this error.
    func send(to address: ContactAddress, in request: RegistrationCompletion.Request, form: Form)
        async throws
        -> Flow
    {
        let now = request.context.now
        var flow = request.flow
        flow.state = .sentEmail
        flow.active = "code"
        flow.address = address.value
        flow.traits = request.traits.json
        if request.flow.isWaiting(for: address, of: request.traits) {
            return try await repeatCode(to: address, in: request, flow: flow, form: form)
        }
        if request.flow.state == .sentEmail {
            let allowsGuess = try await database.transaction { [verifier, id = flow.id] transaction in
                try verifier.allowsGuess(in: id, transaction: transaction)
            }
            guard allowsGuess else {
                return try await lifecycle.update(
                    flow,
                    showing: form.with(.codeExhausted),
                    at: now,
                    from: request.context.peer
                )
            }
        }
        flow = lifecycle.showing(form.with(.registrationCodeSent), in: flow, at: now)
        let dispatch = sender.dispatch(
            .registrationCode,
            to: address,
            in: flow.id,
            guesses: .kept,
            for: request.context
        )
        try await sender.send(dispatch, in: flow, for: request.context)
        return flow
    }

    /// Sends another code to an address that another account claims.
    private func repeatCode(
        to address: ContactAddress,
        in request: RegistrationCompletion.Request,
        flow: Flow,
        form: Form
    ) async throws -> Flow {
        let context = request.context
        return try await database.transaction { [claims, lifecycle] transaction in
            let sent = try claims.send(to: address, in: flow, for: context, transaction: transaction)
            let message = sent.message == .codeExhausted ? sent.message : .registrationCodeSent
            let shown = lifecycle.showing(form.with(message), in: sent.flow, at: context.now)
            guard try FlowRepository.update(shown, in: transaction) else { throw FlowEnded() }
            return shown
        }
    }

    /// Checks a code and completes the registration if it is correct.
    ///
    /// The guess and the new account are committed in one transaction. If another account has one of the
    /// identifiers, the transaction is rolled back, so the guess isn't counted and the code can still be
    /// used. If another account claims one of the other addresses, a code is sent to that address next. If fields
    /// or answers are missing, the proof is committed, and the flow asks for them.
    ///
    /// - Parameters:
    ///   - request: The registration request. Its traits must be the ones that were submitted to request the
    ///     code.
    ///   - code: The guess, or `nil` if the submitted text can't be a code.
    /// - Returns: The outcome of the registration.
    /// - Throws: Any error thrown by ``ClaimedAddresses/check(_:in:for:transaction:)``.
    func register(_ request: RegistrationCompletion.Request, with code: OneTimeCode?) async throws
        -> RegistrationOutcome
    {
        let now = request.context.now
        do {
            return try await database.transaction { [self, claims] transaction in
                let context = request.context
                switch try claims.check(code, in: request.flow, for: context, transaction: transaction) {
                case .refused(let message, let isCounted):
                    return isCounted ? .refused(message) : .uncounted(message)
                case .proven(let flow, let address):
                    var request = request
                    request.flow = flow
                    if try isIncomplete(request, forOwnerOf: address, in: transaction) {
                        return .incomplete(flow)
                    }
                    return try finish(request, by: address, at: now, in: transaction)
                }
            }
        } catch is IdentityRepository.Duplicate {
            return .duplicate(request.flow, isCounted: false)
        }
    }

    /// Completes the registration with the fields that its client requires, after the right code was entered.
    ///
    /// The registration counts toward the network's rate limit, because one code is enough for any number of
    /// attempts, and each of them reveals whether the other identifiers are taken.
    private func complete(_ request: RegistrationCompletion.Request) async throws -> RegistrationOutcome {
        let context = request.context
        try await database.transaction { [limiter] transaction in
            let events = Network.all(of: context.peer).map { LimitedEvent.registration($0) }
            try limiter.require(events, at: context.now, in: transaction)
        }
        guard let address = request.flow.provenAddresses.first(where: request.traits.addresses.contains)
        else { throw FlowEnded() }
        do {
            return try await database.transaction { [self] transaction in
                try finish(request, by: address, at: context.now, in: transaction)
            }
        } catch is IdentityRepository.Duplicate {
            return .duplicate(request.flow, isCounted: true)
        }
    }

    /// Returns whether the new account would lack answers to documents, or fields that the client requires.
    ///
    /// The owner of an existing account has a duty instead.
    private func isIncomplete(
        _ request: RegistrationCompletion.Request,
        forOwnerOf address: ContactAddress,
        in transaction: borrowing Transaction
    ) throws -> Bool {
        var form = Form()
        form.check(request.traits, by: request.flow.fields)
        let lacksInput = !form.isValid || request.lacksAnswers
        return try lacksInput && prover.owner(of: address, in: transaction) == nil
    }

    /// Creates the account, or sends a code to an address that another account claims.
    private func finish(
        _ request: RegistrationCompletion.Request,
        by address: ContactAddress,
        at now: Timestamp,
        in transaction: borrowing Transaction
    ) throws -> RegistrationOutcome {
        let obstacle = try claims.obstacle(to: request.traits, in: request.flow, transaction: transaction)
        if case .claimed(let next)? = obstacle {
            var flow = request.flow
            flow.state = .sentEmail
            flow.active = form.name
            flow.traits = request.traits.json
            let sent = try claims.send(to: next, in: flow, for: request.context, transaction: transaction)
            return .unproven(sent.flow, sent.message)
        }
        let proof = RegistrationCompletion.Proof(method: .code, address: address)
        return .registered(try completion.register(request, with: proof, at: now, in: transaction))
    }
}

extension Flow {
    /// Returns whether the registration has proven another address and is waiting for a code to the given one.
    fileprivate func isWaiting(for address: ContactAddress, of traits: Traits) -> Bool {
        !provenAddresses.isEmpty && self.address == address.value && self.traits == traits.json
    }
}
