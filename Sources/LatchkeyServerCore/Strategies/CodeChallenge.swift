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

    /// What came of a code.
    enum Verdict: Sendable {
        /// It was right; the account as it is now.
        case right(Identity, Traits.Address)
        case wrong
        /// There were too many guesses, or the code was used before: nothing can come of this flow any more.
        case spent
    }

    /// Checks a code, within the transaction of what it opens.
    ///
    /// - Throws: 429 when the address has had its guesses.
    func check(
        _ code: OneTimeCode?,
        in flow: Flow,
        at now: Timestamp,
        in transaction: borrowing Transaction
    ) throws -> Verdict {
        switch try checking.judge(code, of: flow.id, at: now, in: transaction) {
        case .wrong, .notJudged(nil), .notJudged(.open), .notJudged(.expired): return .wrong
        case .notJudged(.used), .notJudged(.exhausted): return .spent
        case .right(let guessed):
            guard
                let owner = guessed.identityID,
                let identity = try AddressProof.keep(guessed.address, of: owner, at: now, in: transaction),
                identity.state == .active
            else { return .wrong }
            return .right(identity, guessed.address)
        }
    }
}
