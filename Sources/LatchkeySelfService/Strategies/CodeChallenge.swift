package import LatchkeyAccounts
import LatchkeyCourier
import LatchkeyModel
import LatchkeyServerKit
import LatchkeyWire

/// Sends and checks the codes of flows that only require one: recovery and verification.
///
/// Addresses with and without an account get the same responses, at the same cost.
package struct CodeChallenge: Sendable {
    private let gate: FlowGate
    private let identities: IdentityRepository
    private let sending: CodeSending
    private let checking: CodeCheck

    package init(gate: FlowGate, identities: IdentityRepository, sending: CodeSending, checking: CodeCheck) {
        self.gate = gate
        self.identities = identities
        self.sending = sending
        self.checking = checking
    }

    /// Sends a code in place of the flow's old one; the guesses at the old one still count.
    ///
    /// - Returns: The flow that waits for the code; `nil` if it was completed meanwhile.
    /// - Throws: 429 if the address reached its limit of codes.
    func send(to address: Traits.Address, in flow: Flow, for exchange: Exchange) async throws -> Flow? {
        let isRecovery = flow.kind == .recovery
        let known = try await identities.owner(of: address, forRecovery: isRecovery)
        // The new address of a pending change belongs to no account yet.
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

    /// The verdict on a code.
    enum Verdict: Sendable {
        /// The code was right: the updated account, and the address that it proves.
        case right(Identity, Traits.Address)
        /// The code was wrong or expired, there is none, or its account is disabled or lost the address.
        case wrong
        /// The code was right, but the account belongs to the owner of another address.
        case refused
        /// The code was used or guessed at too often; the flow has to be replaced.
        case spent
    }

    /// Checks a code, within the transaction that applies its effects.
    ///
    /// - Parameters:
    ///   - code: The code; `nil`, a wrong guess, for a text that does not have the form of a code.
    ///   - flow: The flow in which the code was sent.
    ///   - exchange: The request; its address and time count for the limits.
    ///   - transaction: The transaction that also applies the effects of the code.
    ///   - prove: Proves the address of a correct code on its account, and returns the verdict.
    /// - Returns: The verdict, and that of `prove` with the notices to send after the transaction, if it ran.
    /// - Throws: 429 if the address reached its limit of guesses.
    func check(
        _ code: OneTimeCode?,
        in flow: Flow,
        for exchange: Exchange,
        in transaction: borrowing Transaction,
        prove: (CodeRepository.Guessed, Identifier) throws -> AddressProver.Judged
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
