import LatchkeyAccounts
import LatchkeyModel
import LatchkeyServerKit
import LatchkeyWire

/// Creates identities with a password.
struct PasswordRegistration: FlowMethod {
    private let hasher: any PasswordHasher
    private let time: any TimeSource
    private let database: any Database
    private let completion: RegistrationCompletion
    private let claims: ClaimedAddresses
    private let limiter: Limiter
    private let breaches: BreachCheck
    private let refusals: RegistrationRefusals
    private let repeated: RepeatedSignUp

    let form: PasswordRegistrationForm

    init(_ services: MethodServices) {
        let (environment, accounts) = (services.environment, services.accounts)
        form = PasswordRegistrationForm(settings: services.forms)
        refusals = RegistrationRefusals(services)
        repeated = RepeatedSignUp(services)
        completion = services.registration
        claims = services.claims
        limiter = accounts.limiter
        breaches = accounts.breaches
        hasher = accounts.hasher
        time = environment.time
        database = environment.database
    }

    func perform(
        _ input: PasswordRegistrationForm.Input,
        in context: FlowContext
    ) async throws -> FlowOutcome {
        let request = try RegistrationCompletion.Request(
            context,
            traits: input.traits,
            answers: input.answers
        )
        let outcome = try await register(request, with: input.password, guess: input.guess)
        return try await refusals.outcome(of: outcome, to: request, form: input.form)
    }

    /// Hashes the password and completes the registration.
    ///
    /// Hashing is expensive, so the network's rate limit is applied and the identifiers are checked before
    /// the password is hashed. The rate limit also comes before the check against known breaches, which can
    /// read files. A registration counts toward the limit even if it fails later. The transaction
    /// that creates the account checks the identifiers again.
    ///
    /// - Parameters:
    ///   - request: The registration request.
    ///   - password: The new password, which the policy has accepted.
    ///   - guess: The submitted code, which matters only if the flow is waiting for one.
    /// - Returns: The outcome of the registration.
    /// - Throws: A ``ServerError`` with status 429 if there were too many registrations from the network, or
    ///   503 if the password cannot be checked against known breaches. Also throws ``PasswordHasherError``
    ///   and ``FlowEnded``.
    func register(
        _ request: RegistrationCompletion.Request,
        with password: Secret,
        guess: PasswordRegistrationForm.Guess?
    ) async throws -> RegistrationOutcome {
        if breaches.isEnabled {
            // The limit has to be committed before the check, because no transaction may wait for the list.
            try await database.transaction { [limiter, context = request.context] transaction in
                try Self.count(context, with: limiter, in: transaction)
            }
            if let refusal = try await breaches.refusal(of: password) {
                return .refused(UIMessage(refusal), field: "password")
            }
        }
        var request = request
        switch try await admit(request, guess: guess, isCounted: breaches.isEnabled) {
        case .admitted(let flow): request.flow = flow
        case .taken(let flow): return .duplicate(flow, isCounted: true)
        case .unproven(let flow, let message): return .unproven(flow, message)
        case .claimed(let flow, let address):
            request.flow = flow
            if let registered = try await repeated.resend(request, to: address, password: password) {
                return .registered(registered)
            }
            let context = request.context
            return try await database.transaction { [claims] transaction in
                let sent = try claims.send(to: address, in: flow, for: context, transaction: transaction)
                return .unproven(sent.flow, sent.message)
            }
        }
        let hash = try await hasher.hash(password)
        let now = time.now
        let proof = RegistrationCompletion.Proof(method: .password, passwordHash: hash)
        do {
            return try await database.transaction { [completion, request] transaction in
                .registered(try completion.register(request, with: proof, at: now, in: transaction))
            }
        } catch is IdentityRepository.Duplicate {
            return .duplicate(request.flow, isCounted: true)
        }
    }

    private enum Admission: Sendable {
        /// The password may be hashed. The flow contains all addresses that it has proven.
        case admitted(Flow)
        /// An identifier is taken, or an address is proven on another account.
        case taken(Flow)
        case unproven(Flow, UIMessage)
        /// Another account claims an address in a sign-up by link, and may have been created by the same user. No code
        /// was sent yet.
        case claimed(Flow, ContactAddress)
    }

    /// Applies the network's rate limit.
    ///
    /// - Throws: A ``ServerError`` with status 429 if there were too many registrations from the network.
    private static func count(
        _ context: RequestContext,
        with limiter: Limiter,
        in transaction: borrowing Transaction
    ) throws {
        let events = Network.all(of: context.peer).map { LimitedEvent.registration($0) }
        try limiter.require(events, at: context.now, in: transaction)
    }

    /// Applies the network's rate limit unless the registration was already counted, checks the code, and
    /// looks for accounts that use the addresses.
    private func admit(
        _ request: RegistrationCompletion.Request,
        guess: PasswordRegistrationForm.Guess?,
        isCounted: Bool
    ) async throws -> Admission {
        let context = request.context
        return try await database.transaction { [claims, limiter] transaction in
            if !isCounted { try Self.count(context, with: limiter, in: transaction) }
            var flow = request.flow
            if let guess, flow.awaitsProof {
                switch try claims.check(guess.code, in: flow, for: context, transaction: transaction) {
                case .proven(let checked, _): flow = checked
                case .refused(let message, _): return .unproven(flow, message)
                }
            }
            switch try claims.obstacle(to: request.traits, in: flow, transaction: transaction) {
            case nil: return .admitted(flow)
            case .taken?: return .taken(flow)
            case .claimed(let address)?:
                flow.waitForProof()
                if flow.endsByLink { return .claimed(flow, address) }
                let sent = try claims.send(to: address, in: flow, for: context, transaction: transaction)
                return .unproven(sent.flow, sent.message)
            }
        }
    }
}

extension Flow {
    /// Shows the form for a password again, even if the user has asked for a code before.
    fileprivate mutating func waitForProof() {
        state = .chooseMethod
        active = AuthenticationMethod.password.name
    }
}
