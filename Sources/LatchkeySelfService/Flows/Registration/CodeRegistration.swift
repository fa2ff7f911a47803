import LatchkeyAccounts
import LatchkeyCourier
import LatchkeyModel
package import LatchkeyServerKit
import LatchkeyWire

/// Sends registration codes, checks them, and creates identities that log in with codes.
///
/// An existing account is revealed only after a correct code has proved that the caller controls the address.
package struct CodeRegistration: Sendable {
    private let database: any Database
    private let lifecycle: FlowLifecycle
    private let sender: CodeSender
    private let verifier: CodeVerifier
    private let completion: RegistrationCompletion

    package init(
        lifecycle: FlowLifecycle,
        sender: CodeSender,
        verifier: CodeVerifier,
        completion: RegistrationCompletion,
        database: any Database
    ) {
        self.lifecycle = lifecycle
        self.sender = sender
        self.verifier = verifier
        self.completion = completion
        self.database = database
    }

    /// Sends a code that is valid only for the traits of the request; guesses at an earlier code still count
    /// toward the limit.
    ///
    /// The flow, with its traits and form, is stored in the same transaction as the code. Accounts are not
    /// looked up.
    ///
    /// - Parameters:
    ///   - address: The address in the traits that the code is sent to, whether or not it has an account.
    ///   - request: The inputs of the registration; its traits are stored in the flow.
    ///   - form: The form to show while the flow waits for the code.
    /// - Returns: The flow that waits for the code.
    /// - Throws: ``FlowEnded`` if another request has completed the flow, or 429 if the address has reached
    ///   its limit for codes. In both cases, neither the flow nor the code is stored.
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

    /// Checks a code, and completes the registration if it is correct.
    ///
    /// The guess and the new account are committed in one transaction. If another account has one of the
    /// identifiers, the transaction is rolled back, so the guess is not counted and the code is not used up.
    ///
    /// - Parameters:
    ///   - request: The inputs of the registration, with the traits for which the code was sent.
    ///   - code: The code; `nil` if the submitted text cannot be a code, which counts as a wrong guess.
    /// - Returns: The outcome of the registration.
    /// - Throws: 429 if the address has reached its limit of wrong codes; ``FlowEnded``.
    func register(_ request: RegistrationCompletion.Request, with code: OneTimeCode?) async throws
        -> RegistrationOutcome
    {
        let now = request.context.now
        do {
            return try await database.transaction { [verifier, completion] transaction in
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
