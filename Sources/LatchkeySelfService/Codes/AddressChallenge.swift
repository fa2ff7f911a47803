package import LatchkeyAccounts
import LatchkeyCourier
import LatchkeyModel
import LatchkeyServerKit
import LatchkeyWire

/// Sends the codes for recovery and verification flows, which require no other credential.
///
/// Responses for addresses with and without an account are identical and take the same amount of work.
package struct AddressChallenge: Sendable {
    private let lifecycle: FlowLifecycle
    private let identities: IdentityRepository
    private let sender: CodeSender

    /// Creates a sender of codes.
    ///
    /// Recoveries and verifications differ only in the role of the address and in the messages.
    package init(lifecycle: FlowLifecycle, identities: IdentityRepository, sender: CodeSender) {
        self.lifecycle = lifecycle
        self.identities = identities
        self.sender = sender
    }

    /// Sends a code that replaces the flow's old one; guesses at the old code still count toward the limit.
    ///
    /// The flow and the code are stored in one transaction. For an address without an account, a decoy is
    /// stored, and its message is never sent.
    ///
    /// - Parameters:
    ///   - address: The submitted address, normalized.
    ///   - flow: The recovery or verification flow; a verification flow may contain a change that waits until
    ///     the address is verified.
    ///   - context: The request, whose language the message uses and whose client address is rate-limited.
    /// - Returns: The stored flow, which waits for the code.
    /// - Throws: ``FlowEnded`` if another request has completed the flow, or 429 if the address has reached
    ///   its limit for codes. In both cases, neither the flow nor the code is stored.
    func send(to address: ContactAddress, in flow: Flow, for context: RequestContext) async throws -> Flow {
        let isRecovery = flow.kind == .recovery
        let known = try await identities.owner(of: address, forRecovery: isRecovery)
        // The new address of a pending change belongs to no account yet.
        let owner = PendingChange(in: flow)?.address == address ? flow.identityID : known
        var flow = flow
        flow.state = .sentEmail
        flow.address = address.value
        let message = isRecovery ? UIMessage.recoveryCodeSent : .verificationCodeSent(address)
        flow = lifecycle.showing(Form(messages: [message]), in: flow, at: context.now)
        let dispatch = sender.dispatch(
            isRecovery ? .recoveryCode : .verificationCode,
            to: address,
            of: owner,
            isDecoy: owner == nil,
            in: flow.id,
            guesses: .kept,
            for: context
        )
        try await sender.send(dispatch, in: flow, for: context)
        return flow
    }
}
