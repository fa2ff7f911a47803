import LatchkeyAccounts
import LatchkeyCourier
import LatchkeyModel
package import LatchkeyServerKit
import LatchkeyWire

/// Sends and checks registration codes, and creates identities that log in with codes.
///
/// An existing account is revealed only after the caller has entered a correct code, which proves control of
/// the address.
package struct CodeRegistration: Sendable {
    private let database: any Database
    private let lifecycle: FlowLifecycle
    private let sender: CodeSender
    private let verifier: CodeVerifier
    private let completion: RegistrationCompletion
    private let claims: ClaimedAddresses

    package init(
        lifecycle: FlowLifecycle,
        sender: CodeSender,
        verifier: CodeVerifier,
        completion: RegistrationCompletion,
        claims: ClaimedAddresses,
        database: any Database
    ) {
        self.lifecycle = lifecycle
        self.sender = sender
        self.verifier = verifier
        self.completion = completion
        self.claims = claims
        self.database = database
    }

    /// Sends a code that is valid only for the traits in the request.
    ///
    /// Earlier wrong guesses still count toward the limit.
    ///
    /// The flow, including its traits and form, is saved in the same transaction as the code. This method
    /// doesn't look up any accounts.
    ///
    /// - Parameters:
    ///   - address: The address to send the code to, which must be one of the traits and may already have an
    ///     account.
    ///   - request: The registration request, whose traits are stored in the flow.
    ///   - form: The form to show while the flow is waiting for the code.
    /// - Returns: The flow that is waiting for the code.
    /// - Throws: ``FlowEnded`` if another request has completed the flow, or a ``ServerError`` with status
    ///   429 if a rate limit for sending codes has been reached. In both cases, neither the flow nor the code
    ///   is saved.
    func send(to address: ContactAddress, in request: RegistrationCompletion.Request, form: Form)
        async throws
        -> Flow
    {
        let now = request.context.now
        var flow = request.flow
        flow.state = .sentEmail
        flow.active = "code"
        flow.address = address.value
        flow.traits = request.traits.json
        flow = lifecycle.showing(form.with(.registrationCodeSent), in: flow, at: now)
        let dispatch = sender.dispatch(
            .registrationCode,
            to: address,
            in: flow.id,
            guesses: .kept,
            for: request.context
        )
        try await sender.send(dispatch, in: flow, for: request.context)
        return flow
    }

    /// Checks a code and completes the registration if it is correct.
    ///
    /// The guess and the new account are committed in one transaction. If another account has one of the
    /// identifiers, the transaction is rolled back, so the guess isn't counted and the code can still be
    /// used. If another account claims one of the other addresses, a code is sent to that address next.
    ///
    /// - Parameters:
    ///   - request: The registration request. Its traits must be the ones that were submitted to request the
    ///     code.
    ///   - code: The guess. Pass `nil` if the submitted text isn't a valid code. Invalid codes count as wrong
    ///     guesses.
    /// - Returns: The outcome of the registration.
    /// - Throws: A ``ServerError`` with status 429 if too many wrong codes were entered for the address, or
    ///   ``FlowEnded`` if the flow has ended.
    func register(_ request: RegistrationCompletion.Request, with code: OneTimeCode?) async throws
        -> RegistrationOutcome
    {
        let now = request.context.now
        do {
            return try await database.transaction { [verifier, completion, claims] transaction in
                let verdict = try verifier.judge(
                    code,
                    of: request.flow.id,
                    from: request.context.peer,
                    at: now,
                    in: transaction
                )
                switch RegistrationCodeDecision(verdict, in: request.flow) {
                case .refuse(let message): return .refused(message)
                case .register(let address):
                    var request = request
                    request.flow = try request.flow.proving(address, at: now, in: transaction)
                    let obstacle = try claims.obstacle(
                        to: request.traits,
                        in: request.flow,
                        transaction: transaction
                    )
                    if case .claimed(let next)? = obstacle {
                        let flow = try claims.send(
                            to: next,
                            in: request.flow,
                            for: request.context,
                            transaction: transaction
                        )
                        return .unproven(flow, .claimCodeSent(next))
                    }
                    let proof = RegistrationCompletion.Proof(method: .code, address: address)
                    return .registered(
                        try completion.register(request, with: proof, at: now, in: transaction)
                    )
                }
            }
        } catch is IdentityRepository.Duplicate {
            return .duplicate
        }
    }
}
