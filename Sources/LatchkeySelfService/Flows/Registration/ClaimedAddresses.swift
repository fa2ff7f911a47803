import LatchkeyAccounts
import LatchkeyCourier
import LatchkeyModel
import LatchkeyServerKit
import LatchkeyWire

/// Lets a registration prove addresses that other accounts claim without proof.
///
/// Without this, anyone could keep an owner from signing up by entering the owner's address first. A code is
/// sent to one address at a time, in the order of the schema. The flow's row stores the proven addresses, so
/// the user can submit the form again with the next code.
final class ClaimedAddresses: Sendable {
    /// The reason why the traits can't be registered.
    enum Obstacle: Hashable, Sendable {
        /// An identifier is taken, or an address is proven on another account.
        case taken
        /// Another account claims the address. The registration may continue once the user has entered a code.
        case claimed(ContactAddress)
    }

    /// The maximum number of addresses that a registration can prove, which bounds the size of the flow's row.
    private static let limit = 3

    private let sender: CodeSender
    private let verifier: CodeVerifier

    init(sender: CodeSender, verifier: CodeVerifier) {
        self.sender = sender
        self.verifier = verifier
    }

    /// Returns what prevents the traits from being registered, or `nil` if there is no obstacle.
    ///
    /// - Parameters:
    ///   - traits: The traits of the new identity.
    ///   - flow: The flow. An address that it has proven is no obstacle.
    ///   - transaction: The database transaction to read in.
    /// - Returns: The obstacle. If several addresses are claimed, it is the first one in the schema's order. If
    ///   an address that the flow has proven is also proven on an account, the result is `nil`, because other
    ///   codes wouldn't help and the registration's completion decides what happens.
    /// - Throws: ``DatabaseError``.
    func obstacle(
        to traits: Traits,
        in flow: Flow,
        transaction: borrowing Transaction
    ) throws(DatabaseError) -> Obstacle? {
        for identifier in traits.identifiers where ContactAddress(identifier) == nil {
            if try IdentityRepository.isTaken(identifier, in: transaction) { return .taken }
        }
        var claimed: ContactAddress?
        for address in traits.contacts {
            let hasProven = flow.hasProven(address)
            switch try AddressStateRepository.use(of: address, in: transaction) {
            case .free: break
            case .claimed: if claimed == nil, !hasProven { claimed = address }
            case .proven: return hasProven ? nil : .taken
            }
        }
        guard let claimed else { return nil }
        return flow.provenAddresses.count < Self.limit ? .claimed(claimed) : .taken
    }

    /// The outcome of a guess.
    enum Check: Sendable {
        /// The flow has proven the address.
        case proven(Flow, ContactAddress)
        /// The guess was rejected. `isCounted` is `false` if no guess was counted, because the flow has no usable
        /// code or the text can't be a code.
        case refused(UIMessage, isCounted: Bool = true)
    }

    /// Checks a code that the registration has sent to one of its addresses, and stores the address as proven
    /// if the code is correct.
    ///
    /// A code that an earlier request has used is accepted if the flow has stored the proof: the registration
    /// may have failed afterwards, for example because too many passwords were being hashed.
    ///
    /// If the flow waits for a claimed address, guesses beyond the limits are treated as wrong, so the answer
    /// doesn't reveal that other people have requested codes for the address. These guesses count for the
    /// code.
    ///
    /// - Returns: The flow with the proven address, or the reason for the rejection.
    /// - Throws: A ``ServerError`` with status 429 if the flow doesn't wait for a claimed address and a limit
    ///   for wrong codes has been reached, ``FlowEnded`` or ``DatabaseError``.
    func check(
        _ code: OneTimeCode?,
        in flow: Flow,
        for context: RequestContext,
        transaction: borrowing Transaction
    ) throws -> Check {
        let verdict: CodeVerifier.Verdict
        do {
            verdict = try verifier.judge(
                code,
                of: flow.id,
                from: context.peer,
                at: context.now,
                in: transaction
            )
        } catch let error as ServerError where error.status == 429 && flow.awaitsClaimedAddress {
            return .refused(.wrongCode(.registration))
        }
        if case .notJudged(.used) = verdict {
            var current = flow
            current.provenAddresses = try FlowRepository.proofs(of: flow.id, in: transaction)
            current.address = nil
            if let address = current.provenAddresses.last { return .proven(current, address) }
        }
        switch RegistrationCodeDecision(verdict, in: flow) {
        case .prove(let address):
            return .proven(try flow.proving(address, at: context.now, in: transaction), address)
        case .refuse(let message, let isCounted): return .refused(message, isCounted: isCounted)
        }
    }

    /// Sends a code to a claimed address, and saves the flow, which is then waiting for this code.
    ///
    /// A rate limit on the address has no effect on the answer: the code just isn't sent. If the flow has no
    /// guesses left, no code is sent either, because it couldn't be entered.
    ///
    /// - Returns: The saved flow, and the message for the form.
    /// - Throws: ``FlowEnded``, ``DatabaseError``, or an error if the message cannot be encrypted.
    func send(
        to address: ContactAddress,
        in flow: Flow,
        for context: RequestContext,
        transaction: borrowing Transaction
    ) throws -> (flow: Flow, message: UIMessage) {
        var flow = flow
        flow.address = address.value
        flow.updatedAt = context.now
        guard try FlowRepository.update(flow, in: transaction) else { throw FlowEnded() }
        guard try verifier.allowsGuess(in: flow.id, transaction: transaction) else {
            return (flow, .codeExhausted)
        }
        let dispatch = sender.dispatch(
            .registrationCode,
            to: address,
            in: flow.id,
            guesses: .kept,
            for: context
        )
        try sender.keepWithoutRefusal(dispatch, for: context.peer, at: context.now, in: transaction)
        return (flow, .claimCodeSent(address))
    }
}

extension Flow {
    /// Whether the registration is waiting for a code that proves an address in addition to a password.
    var awaitsProof: Bool { kind == .registration && state != .sentEmail && address != nil }

    /// Whether the code that the registration is waiting for was sent to an address that another account
    /// claims.
    var awaitsClaimedAddress: Bool { awaitsProof || !provenAddresses.isEmpty }

    /// Returns whether the registration has proven an address with a code, before or during the submission of
    /// its form.
    func hasProven(_ address: ContactAddress) -> Bool {
        provenAddresses.contains(address) || (address.via == .sms && address.value == verifiedPhone)
    }

    /// Returns the flow after a code has proven an address, and stores the proof.
    ///
    /// - Throws: ``FlowEnded`` or ``DatabaseError``.
    func proving(
        _ address: ContactAddress,
        at now: Timestamp,
        in transaction: borrowing Transaction
    ) throws -> Flow {
        var flow = self
        flow.address = nil
        guard !provenAddresses.contains(address) else { return flow }
        guard try FlowRepository.addProof(of: address, flow: id, at: now, in: transaction) else {
            throw FlowEnded()
        }
        flow.provenAddresses.append(address)
        return flow
    }
}
