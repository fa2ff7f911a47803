import LatchkeyAccounts
import LatchkeyCourier
import LatchkeyModel
import LatchkeyServerKit
import LatchkeyWire

/// Sends codes for recovery and verification flows, where the code is the only credential.
///
/// Requests for addresses with and without an account get the same response and take the same amount of work.
struct AddressChallenge: Sendable {
    private let lifecycle: FlowLifecycle
    private let identities: IdentityRepository
    private let sender: CodeSender
    private let schemas: SchemaCatalog

    init(_ services: MethodServices) {
        lifecycle = services.lifecycle
        identities = services.accounts.identities
        sender = services.sender
        schemas = services.accounts.schemas
    }

    /// Sends a new code, which replaces the flow's previous one.
    ///
    /// Earlier wrong guesses still count toward the limit.
    ///
    /// The flow and the code are saved in the same transaction. If the address doesn't have an account, a
    /// decoy is saved instead and its message is never sent.
    ///
    /// - Parameters:
    ///   - address: The submitted address, normalized.
    ///   - flow: The recovery or verification flow. A verification flow may contain a change that is saved
    ///     once the address is verified.
    ///   - context: The request, which determines the language of the message and the client address for rate
    ///     limiting.
    /// - Returns: The saved flow, which is now waiting for the code.
    /// - Throws: ``FlowEnded`` if another request has completed the flow, or a ``ServerError`` with status
    ///   429 if a rate limit for sending codes has been reached. In both cases, neither the flow nor the code
    ///   is saved.
    func send(to address: ContactAddress, in flow: Flow, for context: RequestContext) async throws -> Flow {
        let isRecovery = flow.kind == .recovery
        let known = try await identities.owner(of: address, forRecovery: isRecovery)
        // The new address of a pending change doesn't belong to an account yet.
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
            // A browser can't have a session of an account that requires a certificate.
            hasLink: !isRecovery || schemas[flow.schemaID]?.policy.needsCertificate != true,
            for: context
        )
        try await sender.send(dispatch, in: flow, for: context)
        return flow
    }

    /// Returns the outcome of a guess, and saves the form with the message if the code was rejected.
    ///
    /// The guess has been counted in an earlier transaction. If the code can't be entered any more, the outcome
    /// is that of `replace`.
    func outcome<Accepted>(
        of decision: CodeDecision<Accepted>,
        in context: FlowContext,
        accept: (Accepted) -> FlowOutcome,
        replace: () async throws -> FlowOutcome
    ) async throws -> FlowOutcome {
        let request = context.request
        switch decision {
        case .accept(let accepted): return accept(accepted)
        case .retry(let message, let isCounted):
            let shown = try await lifecycle.update(
                context.flow,
                showing: Form(messages: [message]),
                at: request.now,
                from: request.peer,
                isCounted: isCounted
            )
            return .waiting(shown)
        case .refuse(let message, let isCounted):
            return try await lifecycle.refuse(
                context.flow,
                with: Form(messages: [message]),
                at: request.now,
                from: request.peer,
                isCounted: isCounted
            )
        case .replace: return try await replace()
        }
    }
}
