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
package struct ClaimedAddresses: Sendable {
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

    package init(sender: CodeSender, verifier: CodeVerifier) {
        self.sender = sender
        self.verifier = verifier
    }

    /// Returns what prevents the traits from being registered, or `nil` if there is no obstacle.
    ///
    /// - Parameters:
    ///   - traits: The traits of the new identity.
    ///   - flow: The flow. The addresses that it has proven are ignored, because the transaction that creates
    ///     the account checks them.
    ///   - transaction: The database transaction to read in.
    /// - Returns: The obstacle. If several addresses are claimed, it is the first one in the schema's order.
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
        for address in traits.contacts where !flow.hasProven(address) {
            switch try AddressStateRepository.use(of: address, in: transaction) {
            case .free: break
            case .claimed: claimed = claimed ?? address
            case .proven: return .taken
            }
        }
        guard let claimed else { return nil }
        return flow.provenAddresses.count < Self.limit ? .claimed(claimed) : .taken
    }

    /// Checks a code that was sent to an address, and stores the address as proven if the code is correct.
    ///
    /// Guesses beyond the limits are treated as wrong, so the answer doesn't reveal that other people have
    /// requested codes for the address.
    ///
    /// - Returns: The flow with the proven address, or `nil` if the code is wrong.
    /// - Throws: ``FlowEnded`` or ``DatabaseError``.
    func check(
        _ code: OneTimeCode?,
        in flow: Flow,
        for context: RequestContext,
        transaction: borrowing Transaction
    ) throws -> Flow? {
        let verdict: CodeVerifier.Verdict
        do {
            verdict = try verifier.judge(
                code,
                of: flow.id,
                from: context.peer,
                at: context.now,
                in: transaction
            )
        } catch let error as ServerError where error.status == 429 {
            return nil
        }
        guard case .right(let guessed) = verdict, guessed.address.value == flow.address else { return nil }
        return try flow.proving(guessed.address, at: context.now, in: transaction)
    }

    /// Sends a code to a claimed address, and saves the flow, which is then waiting for this code.
    ///
    /// A rate limit on the address has no effect on the answer: the code just isn't sent.
    ///
    /// - Throws: ``FlowEnded``, ``DatabaseError``, or an error if the message cannot be encrypted.
    func send(
        to address: ContactAddress,
        in flow: Flow,
        for context: RequestContext,
        transaction: borrowing Transaction
    ) throws -> Flow {
        var flow = flow
        flow.address = address.value
        flow.updatedAt = context.now
        guard try FlowRepository.update(flow, in: transaction) else { throw FlowEnded() }
        let dispatch = sender.dispatch(
            .registrationCode,
            to: address,
            in: flow.id,
            guesses: .kept,
            for: context
        )
        try sender.keepWithoutRefusal(dispatch, for: context.peer, at: context.now, in: transaction)
        return flow
    }
}

extension Flow {
    /// Whether the registration is waiting for a code that proves an address in addition to a password.
    var awaitsProof: Bool { kind == .registration && state != .sentEmail && address != nil }

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
