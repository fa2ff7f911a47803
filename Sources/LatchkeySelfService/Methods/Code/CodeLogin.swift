import LatchkeyAccounts
import LatchkeyCourier
import LatchkeyModel
import LatchkeyServerKit
import LatchkeyWire

/// Logs in with a code.
///
/// Responses for known and unknown accounts are identical and take the same amount of work, unless the
/// operator has enabled hints about unknown accounts. For unknown identifiers, a decoy code and its message
/// are created and stored, but never sent.
struct CodeLogin: FlowMethod {
    /// The outcome of asking for a code.
    enum Sent: Sendable {
        /// The code was enqueued, and the flow is waiting for it.
        case sent(Flow)
        /// The submitted identifier isn't an address. If hints are enabled, identifiers that cannot log in
        /// with a code are refused too.
        case refused(UIMessage)
    }

    /// The outcome of entering a code.
    enum Outcome: Sendable {
        /// The code was correct, and a session was created or extended.
        case session(LoginCompletion.Opened)
        /// The code was rejected, or the account isn't allowed to log in.
        ///
        /// `isCounted` is `false` if the submission doesn't count toward the limit on wrong codes.
        case refused(UIMessage, isCounted: Bool)
    }

    private let schemas: SchemaCatalog
    private let codeSettings: CodeSettings
    private let database: any Database
    private let time: any TimeSource
    private let lifecycle: FlowLifecycle
    private let identities: IdentityRepository
    private let sender: CodeSender
    private let verifier: CodeVerifier
    private let completion: LoginCompletion
    private let prover: AddressProver
    private let networks: KnownNetworks
    private let passwordLimits: PasswordLimits

    /// A made-up account that is checked if no account has the identifier, so that both cases take equally
    /// long.
    private let unknownAccount: IdentityRecord

    let form: CodeLoginForm

    init(_ services: MethodServices) {
        let (environment, accounts) = (services.environment, services.accounts)
        form = CodeLoginForm(settings: services.forms)
        lifecycle = services.lifecycle
        sender = services.sender
        verifier = services.verifier
        completion = services.login
        prover = services.prover
        codeSettings = services.settings.codes
        identities = accounts.identities
        networks = accounts.networks
        passwordLimits = accounts.passwordLimits
        schemas = accounts.schemas
        database = environment.database
        time = environment.time
        unknownAccount = .dummy(
            schema: accounts.schemas.standard,
            at: environment.time.now,
            random: environment.random
        )
    }

    func perform(_ input: CodeLoginForm.Input, in context: FlowContext) async throws -> FlowOutcome {
        let request = try LoginCompletion.Request(context)
        switch input {
        case .send(let identifier, let form):
            switch try await send(to: identifier, in: request) {
            case .sent(let flow): return .waiting(flow)
            case .refused(let message):
                return try await refuse(context, with: form.with(message), isCounted: false)
            }
        case .check(let code, let identifier, let form):
            switch try await check(code, for: identifier, in: request) {
            case .session(let opened): return .loggedIn(opened)
            case .refused(let message, let isCounted):
                return try await refuse(context, with: form.with(message), isCounted: isCounted)
            }
        }
    }

    private func refuse(
        _ context: FlowContext,
        with form: Form,
        isCounted: Bool
    ) async throws -> FlowOutcome {
        try await lifecycle.refuse(
            context.flow,
            with: form,
            at: time.now,
            from: context.request.peer,
            isCounted: isCounted
        )
    }

    /// Sends a new code, which replaces the flow's previous one.
    ///
    /// Earlier wrong guesses still count toward the limit. If no guesses are left, no code is sent, because it
    /// couldn't be entered.
    ///
    /// - Parameters:
    ///   - identifier: The identifier as it was submitted. It doesn't have to be normalized, but must be an
    ///     address.
    ///   - request: The login request.
    /// - Returns: The flow that is waiting for the code, or the reason for the rejection.
    /// - Throws: A ``ServerError`` with status 429 if a rate limit for sending codes has been reached.
    func send(to identifier: String, in request: LoginCompletion.Request) async throws -> Sent {
        let now = request.context.now
        guard let address = ContactAddress(LoginIdentifier.normalize(identifier)) else {
            return .refused(.noCodeLogin)
        }
        let owner = try await owner(of: address)
        if owner == nil, codeSettings.revealsUnknownAccounts { return .refused(.noCodeLogin) }
        var flow = request.flow
        if flow.state == .sentEmail {
            let allowsGuess = try await database.transaction { [verifier, id = flow.id] transaction in
                try verifier.allowsGuess(in: id, transaction: transaction)
            }
            guard allowsGuess else { return .refused(.codeExhausted) }
        }
        flow.state = .sentEmail
        flow.active = "code"
        flow.address = address.value
        let message =
            request.present == nil || flow.loginChallenge != nil && !flow.refresh
            ? UIMessage.loginCodeSent : .codeSentAgain
        flow = lifecycle.showing(Form(messages: [message]), in: flow, at: now)
        let dispatch = sender.dispatch(
            .loginCode,
            to: address,
            of: owner,
            isDecoy: owner == nil,
            in: flow.id,
            guesses: .kept,
            for: request.context
        )
        try await sender.send(dispatch, in: flow, for: request.context)
        return .sent(flow)
    }

    /// Checks a code and completes the login if it is correct.
    ///
    /// The guess, the proof of the address and the session are committed in one transaction. Wrong guesses
    /// are committed too, so that they count toward the limit.
    ///
    /// - Parameters:
    ///   - code: The guess, or `nil` if the submitted text can't be a code.
    ///   - identifier: The identifier that the code was sent to, if the client has submitted it. If the code
    ///     was sent to another one, the guess is treated as wrong.
    ///   - request: The login request.
    /// - Returns: The session, or the reason for the rejection.
    /// - Throws: A ``ServerError`` with status 429 if a rate limit for wrong codes has been reached. Throws
    ///   ``FlowEnded`` if the flow has expired or another request has completed it; in that case, the code
    ///   can still be used.
    func check(_ code: OneTimeCode?, for identifier: String?, in request: LoginCompletion.Request)
        async throws
        -> Outcome
    {
        let now = request.context.now
        let address = identifier.map { LoginIdentifier.normalize($0) }
        do {
            return try await database.transaction { [verifier] transaction in
                let decision = try verifier.decide(
                    code,
                    sentTo: address,
                    in: request.flow,
                    for: request.context,
                    in: transaction
                ) { guessed, identity in
                    try prove(guessed, of: identity, for: request, at: now, in: transaction)
                }
                let opened = try decision.map { proven in
                    try open(proven, for: request, at: now, in: transaction)
                }
                switch opened {
                case .accept(let opened): return .session(opened)
                case .refuse(let message, let isCounted), .retry(let message, let isCounted):
                    return .refused(message, isCounted: isCounted)
                case .replace: return .refused(.codeExhausted, isCounted: false)
                }
            }
        } catch is IdentityRepository.Duplicate {
            return .refused(.addressNotProven, isCounted: false)
        }
    }

    /// Returns whether the code re-authenticates an active session of the account, and locks that session.
    ///
    /// If the user re-authenticates with a code, the account is confirmed. If the user logs in with a code
    /// and has no session yet, the account may be reclaimed (``AddressOwnership``).
    private func isInside(
        _ request: LoginCompletion.Request,
        as identity: Identifier,
        at now: Timestamp,
        in transaction: borrowing Transaction
    ) throws -> Bool {
        guard request.flow.refresh, let present = request.present, present.identityID == identity else {
            return false
        }
        return try present.hold(at: now, in: transaction)
    }

    /// Applies the rules of address ownership to a correct code and the account that it was sent for.
    private func prove(
        _ guessed: CodeRepository.Guessed,
        of identity: Identifier,
        for request: LoginCompletion.Request,
        at now: Timestamp,
        in transaction: borrowing Transaction
    ) throws -> AddressProver.Verdict {
        let proof = AddressProver.Request(
            address: guessed.address,
            identity: identity,
            role: .login,
            proof: try isInside(request, as: identity, at: now, in: transaction) ? .inside : .entry,
            flow: request.flow.id,
            context: request.context
        )
        return try prover.prove(proof, at: now, in: transaction)
    }

    /// Completes the login and remembers the caller's network.
    private func open(
        _ proven: ProvenAddress,
        for request: LoginCompletion.Request,
        at now: Timestamp,
        in transaction: borrowing Transaction
    ) throws -> LoginCompletion.Opened {
        let (id, peer) = (proven.identity.id, request.context.peer)
        try networks.remember(peer, of: id, at: now, in: transaction)
        try passwordLimits.endWait(of: id, from: peer, at: now, in: transaction)
        return try completion.open(
            request,
            for: proven.identity.record,
            by: .code,
            evidence: .code(proven.address),
            at: now,
            in: transaction
        )
    }

    /// Returns the active account that can log in with a code sent to an address, or `nil` if there is none.
    private func owner(of address: ContactAddress) async throws -> Identifier? {
        let account = try await identities.find(identifier: address.value)
        let identity = account?.identity ?? unknownAccount
        guard identity.isActive, schemas.takesCodes(identity, at: address) else { return nil }
        return account?.identity.id
    }
}

extension IdentityRecord {
    /// A made-up account of typical size, so that logins to unknown accounts take as much work as logins to
    /// known ones.
    fileprivate static func dummy(
        schema: IdentitySchema,
        at now: Timestamp,
        random: some RandomSource
    ) -> IdentityRecord {
        let email = ContactAddress(via: .email, value: "nobody@example.invalid")
        let phone = ContactAddress(via: .sms, value: "+4670000000000")
        let traits = Traits(
            json: Array(#"{"email":"\#(email.value)","phone":"\#(phone.value)"}"#.utf8),
            identifiers: [],
            verifiable: [email, phone],
            recovery: [email],
            contacts: [email, phone],
            phoneToVerify: nil
        )
        return Identity(
            schema: schema,
            traits: traits,
            verified: [],
            at: now,
            random: random
        ).record
    }
}
