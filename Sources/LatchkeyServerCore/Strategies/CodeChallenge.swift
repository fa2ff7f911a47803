import LatchkeyModel
import LatchkeyWire

/// Sends and checks the codes of flows that only ask for one: recovery and verification.
///
/// Addresses with and without an account are answered alike and cost the same.
struct CodeChallenge: Sendable {
    private let context: ServerContext
    private let gate: FlowGate
    private let identities: IdentityRepository
    private let sending: CodeSending
    private let checking: CodeCheck

    init(_ context: ServerContext, courier: Courier) {
        self.context = context
        gate = FlowGate(context)
        identities = IdentityRepository(context)
        sending = CodeSending(context, courier: courier)
        checking = CodeCheck(context)
    }

    /// Sends a code, which takes the place of the flow's old one; the guesses at that one count on.
    ///
    /// - Returns: The flow that waits for it; nothing when it is over.
    /// - Throws: 429 when the address has had its codes.
    func send(to address: Traits.Address, in flow: Flow, for exchange: Exchange) async throws -> Flow? {
        let isRecovery = flow.kind == .recovery
        let known = try await identities.owner(of: address, forRecovery: isRecovery)
        // The address that a change waits for is nobody's yet.
        let owner = PendingChange(in: flow)?.address == address ? flow.identityID : known
        var flow = flow
        flow.state = .sentEmail
        flow.address = address.value
        let message = isRecovery ? UIMessage.recoveryCodeSent : .verificationCodeSent(address)
        flow = gate.showing(Form(messages: [message]), in: flow, at: exchange.now)
        let dispatch = sending.dispatch(
            isRecovery ? .recoveryCode : .verificationCode,
            to: address,
            of: owner,
            isDecoy: owner == nil,
            in: flow.id,
            guesses: .kept,
            for: exchange
        )
        guard try await sending.send(dispatch, in: flow, for: exchange) else { return nil }
        return flow
    }

    /// What a code leads to.
    enum Verdict: Sendable {
        /// The code was right: the account as it is now, and the address that is proven.
        case right(Identity, Traits.Address)
        case wrong
        /// The code was right, but the account belongs to the owner of another address.
        case refused
        /// There were too many guesses, or the code was used before: the flow has ended.
        case spent
    }

    /// Checks a code within the transaction of what it opens.
    ///
    /// - Parameters:
    ///   - code: The code; `nil` for a text that cannot be one.
    ///   - flow: The flow that the code was sent in.
    ///   - exchange: The request.
    ///   - transaction: The transaction.
    ///   - prove: Judges what a right code proves.
    /// - Returns: The verdict, and the notices to send after the transaction.
    /// - Throws: 429 if the address had its guesses.
    func check(
        _ code: OneTimeCode?,
        in flow: Flow,
        for exchange: Exchange,
        in transaction: borrowing Transaction,
        _ prove: (CodeRepository.Guessed, Identifier) throws -> AddressProver.Judged
    ) throws -> (Verdict, AddressProver.Judged?) {
        let now = exchange.now
        switch try checking.judge(code, of: flow.id, from: exchange.peer, at: now, in: transaction) {
        case .wrong, .notJudged(nil), .notJudged(.open), .notJudged(.expired): return (.wrong, nil)
        case .notJudged(.used), .notJudged(.exhausted): return (.spent, nil)
        case .right(let guessed):
            guard let owner = guessed.identityID else { return (.wrong, nil) }
            let judged = try prove(guessed, owner)
            switch judged.verdict {
            case .granted(let identity): return (.right(identity, guessed.address), judged)
            case .refused: return (.refused, judged)
            case .disabled, .stale: return (.wrong, judged)
            }
        }
    }
}
