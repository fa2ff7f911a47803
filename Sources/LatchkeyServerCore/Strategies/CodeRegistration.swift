import LatchkeyModel
import LatchkeyWire

/// Sends a code to somebody who registers, checks it, and makes an identity that logs in with codes.
///
/// Whether there is an account already comes out only when the code has proved that the address is one's own.
struct CodeRegistration: Sendable {
    private let context: ServerContext
    private let gate: FlowGate
    private let sending: CodeSending
    private let checking: CodeCheck
    private let completion: RegistrationCompletion

    init(_ context: ServerContext, courier: Courier) {
        self.context = context
        gate = FlowGate(context)
        sending = CodeSending(context, courier: courier)
        checking = CodeCheck(context)
        completion = RegistrationCompletion(context, courier: courier)
    }

    /// Sends a code, which is good for these traits and no others.
    ///
    /// - Returns: The flow that waits for it; nothing when it is over.
    /// - Throws: 429 when the address has had its codes.
    func send(to address: Traits.Address, _ request: RegistrationCompletion.Request, _ form: Form)
        async throws
        -> Flow?
    {
        let now = request.exchange.now
        var flow = request.flow
        flow.state = .sentEmail
        flow.active = "code"
        flow.address = address.value
        flow.traits = request.traits.json
        flow = gate.showing(form.with(.registrationCodeSent), in: flow, at: now)
        let dispatch = sending.dispatch(
            .registrationCode,
            to: address,
            in: flow.id,
            guesses: .kept,
            for: request.exchange
        )
        guard try await sending.send(dispatch, in: flow, for: request.exchange) else { return nil }
        return flow
    }

    /// Checks a code and ends the registration.
    ///
    /// - Throws: 429 when the address has had its guesses.
    func register(_ request: RegistrationCompletion.Request, _ code: OneTimeCode?) async throws
        -> RegistrationOutcome
    {
        let now = request.exchange.now
        return try await RegistrationOutcome.of(completion) {
            try await context.database.transaction { [checking, completion] transaction in
                switch try checking.judge(
                    code,
                    of: request.flow.id,
                    from: request.exchange.peer,
                    at: now,
                    in: transaction
                ) {
                case .wrong, .notJudged(nil), .notJudged(.open), .notJudged(.expired):
                    return .refused(.wrongCode(.registration))
                case .notJudged(.used): return .refused(.codeUsed)
                case .notJudged(.exhausted): return .refused(.codeExhausted)
                case .right(let guessed):
                    // A code that verified a phone number in the same flow proves another address.
                    guard guessed.address.value == request.flow.address else {
                        return .refused(.wrongCode(.registration))
                    }
                    let proof = RegistrationCompletion.Proof(method: "code", address: guessed.address)
                    return .registered(
                        try completion.register(request, proof, at: now, in: transaction)
                    )
                }
            }
        }
    }
}
