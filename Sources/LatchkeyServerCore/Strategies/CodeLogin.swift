import LatchkeyModel
import LatchkeyWire

/// Sends a code to whoever logs in, checks it, and opens a session.
///
/// Unless an operator wants it otherwise, known and unknown accounts are answered alike and cost the same: the
/// code for nobody is drawn, kept and written into a message all the same, which nobody sends.
struct CodeLogin: Sendable {
    /// What came of asking for a code.
    enum Sent: Sendable {
        /// It is on its way, and the flow waits for it.
        case sent(Flow)
        case refused(UIMessage)
        case flowOver
    }

    /// What came of a code.
    enum Outcome: Sendable {
        case session(LoginCompletion.Opened)
        case refused(UIMessage)
        case flowOver
    }

    private let context: ServerContext
    private let gate: FlowGate
    private let identities: IdentityRepository
    private let sending: CodeSending
    private let checking: CodeCheck
    private let completion: LoginCompletion
    private let prover: AddressProver
    private let networks: KnownNetworks

    /// What is read where there is no account, so that both take as long.
    private let nobody: IdentityRecord

    init(_ context: ServerContext, courier: Courier) {
        self.context = context
        gate = FlowGate(context)
        identities = IdentityRepository(context)
        sending = CodeSending(context, courier: courier)
        checking = CodeCheck(context)
        completion = LoginCompletion(context)
        prover = AddressProver(context, courier: courier)
        networks = KnownNetworks(context)
        nobody = .nobody(context.schemas.standard, context)
    }

    /// Sends a code, which takes the place of the flow's old one; the guesses at that one count on.
    ///
    /// - Throws: 429 when the address has had its codes.
    func send(to identifier: String, _ request: LoginCompletion.Request) async throws -> Sent {
        let now = request.exchange.now
        guard let address = Traits.Address(LoginIdentifier.normalize(identifier)) else {
            return .refused(.noCodeLogin)
        }
        let owner = try await owner(of: address)
        if owner == nil, context.settings.tellsUnknownAccounts { return .refused(.noCodeLogin) }
        var flow = request.flow
        flow.state = .sentEmail
        flow.active = "code"
        flow.address = address.value
        let message = request.present == nil ? UIMessage.loginCodeSent : .codeSentAgain
        flow = gate.showing(Form(messages: [message]), in: flow, at: now)
        let dispatch = sending.dispatch(
            .loginCode,
            to: address,
            of: owner,
            isDecoy: owner == nil,
            in: flow.id,
            guesses: .kept,
            for: request.exchange
        )
        guard try await sending.send(dispatch, in: flow, for: request.exchange) else { return .flowOver }
        return .sent(flow)
    }

    /// Checks a code.
    ///
    /// - Parameters:
    ///   - code: The code; nothing for what cannot be one.
    ///   - identifier: What it was sent to, as the client says; another than that is a wrong guess.
    ///   - request: Who logs in where.
    /// - Returns: What came of it.
    /// - Throws: 429 when the address has had its guesses.
    func check(_ code: OneTimeCode?, for identifier: String?, _ request: LoginCompletion.Request) async throws
        -> Outcome
    {
        let now = request.exchange.now
        let isMeant = identifier.map { LoginIdentifier.normalize($0) == request.flow.address } ?? true
        do {
            let (outcome, judged) = try await context.database.transaction { [checking] transaction in
                let guess = isMeant ? code : nil
                switch try checking.judge(
                    guess,
                    of: request.flow.id,
                    from: request.exchange.peer,
                    at: now,
                    in: transaction
                ) {
                case .wrong, .notJudged(nil), .notJudged(.open), .notJudged(.expired):
                    return (Outcome.refused(.wrongCode(.login)), AddressProver.Judged?.none)
                case .notJudged(.used): return (.refused(.codeUsed), nil)
                case .notJudged(.exhausted): return (.refused(.codeExhausted), nil)
                case .right(let guessed):
                    return try enter(guessed, request, at: now, in: transaction)
                }
            }
            if let judged { prover.sendNotices(of: judged) }
            return outcome
        } catch is IdentityRepository.Duplicate {
            return .refused(.addressNotProven)
        } catch is LoginCompletion.FlowOver {
            return .flowOver
        }
    }

    /// Whether the code was entered with a live session of the account, to authenticate again.
    private func isInside(
        _ request: LoginCompletion.Request,
        _ identity: Identifier,
        at now: Timestamp,
        in transaction: borrowing Transaction
    ) throws -> Bool {
        guard request.flow.refresh, let present = request.present, present.identityID == identity else {
            return false
        }
        // The identity's row first, then the session's: that is the order of all who lock both.
        guard try IdentityRepository.confirm(identity, in: transaction) else { return false }
        return try SessionRepository.hold(present.id, of: identity, at: now, in: transaction)
    }

    private func enter(
        _ guessed: CodeRepository.Guessed,
        _ request: LoginCompletion.Request,
        at now: Timestamp,
        in transaction: borrowing Transaction
    ) throws -> (Outcome, AddressProver.Judged?) {
        guard let id = guessed.identityID else { return (.refused(.wrongCode(.login)), nil) }
        let proof = AddressProver.Request(
            address: guessed.address,
            identity: id,
            role: .login,
            proof: try isInside(request, id, at: now, in: transaction) ? .inside : .entry,
            flow: request.flow.id,
            exchange: request.exchange
        )
        let judged = try prover.prove(proof, at: now, in: transaction)
        switch judged.verdict {
        case .stale: return (.refused(.wrongCode(.login)), judged)
        case .disabled: return (.refused(.identityDisabled), judged)
        case .refused: return (.refused(.addressNotProven), judged)
        case .granted(let identity):
            try networks.remember(request.exchange.peer, of: id, at: now, in: transaction)
            let opened = try completion.open(
                request,
                identity.record,
                by: "code",
                .code(guessed.address),
                at: now,
                in: transaction
            )
            return (.session(opened), judged)
        }
    }

    /// Whose account a code to an address opens.
    private func owner(of address: Traits.Address) async throws -> Identifier? {
        let account = try await identities.find(identifier: address.value)
        let identity = account?.identity ?? nobody
        guard identity.isActive, context.schemas.takesCodes(identity, at: address) else { return nil }
        return account?.identity.id
    }
}

extension IdentityRecord {
    /// The record of somebody who does not exist, as long as those of most who do.
    fileprivate static func nobody(_ schema: IdentitySchema, _ context: ServerContext) -> IdentityRecord {
        let email = Traits.Address(via: .email, value: "nobody@example.invalid")
        let phone = Traits.Address(via: .sms, value: "+4670000000000")
        let traits = Traits(
            json: Array(#"{"email":"\#(email.value)","phone":"\#(phone.value)"}"#.utf8),
            identifiers: [],
            verifiable: [email, phone],
            recovery: [email],
            phoneToVerify: nil
        )
        return Identity(schema, traits, verified: [], at: context.time.now, random: context.random).record
    }
}
