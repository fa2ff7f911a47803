import LatchkeyAccounts
import LatchkeyModel
import LatchkeyServerKit
import LatchkeyWire

/// Recovers an account with a code that was sent to one of its addresses.
struct CodeRecovery: FlowMethod {
    let form = ChallengeForm()

    private let database: any Database
    private let lifecycle: FlowLifecycle
    private let challenge: AddressChallenge
    private let verifier: CodeVerifier
    private let completion: RecoveryCompletion
    private let prover: AddressProver

    init(_ services: MethodServices) {
        database = services.environment.database
        lifecycle = services.lifecycle
        challenge = AddressChallenge(services)
        verifier = services.verifier
        completion = RecoveryCompletion(services)
        prover = services.prover
    }

    /// Sends a code, or checks one and creates a session.
    ///
    /// A session is only created if the rules in ``AddressOwnership`` allow it or an operator handed out the
    /// code.
    ///
    /// - Throws: A ``ServerError`` with status 400 if the proof of possession is invalid, or 429 if a rate
    ///   limit has been reached. Also throws ``DatabaseError``.
    func perform(_ input: ChallengeForm.Input, in context: FlowContext) async throws -> FlowOutcome {
        do {
            switch input {
            case .send where context.flow.isOpenedElsewhere: return try await check(nil, in: context)
            case .send(let address):
                return .waiting(
                    try await challenge.send(to: address, in: context.flow, for: context.request)
                )
            case .check(let code): return try await check(code, in: context)
            }
        } catch is IdentityRepository.Duplicate {
            let (form, request) = (Form(messages: [.addressNotProven]), context.request)
            return try await lifecycle.refuse(context.flow, with: form, at: request.now, from: request.peer)
        }
    }

    /// Checks a code and, if it is correct, completes the recovery in the same transaction.
    ///
    /// Wrong guesses are committed too, so that they count toward the limit. The form with the message is
    /// saved in a separate transaction.
    private func check(_ code: OneTimeCode?, in submitted: FlowContext) async throws -> FlowOutcome {
        let (flow, context) = (submitted.flow, submitted.request)
        let key = try KeyBinding(context)
        let decision = try await database.transaction { transaction in
            let decision = try verifier.decide(code, in: flow, for: context, in: transaction) {
                try prove($0, of: $1, in: flow, for: context, in: transaction)
            }
            return try decision.map { proven in
                let request = RecoveryCompletion.Request(
                    flow: flow,
                    address: proven.address,
                    context: context,
                    present: submitted.session?.session,
                    key: key
                )
                return try completion.open(proven.identity, for: request, in: transaction)
            }
        }
        return try await challenge.outcome(of: decision, in: submitted) { recovered in
            .recovered(recovered)
        } replace: {
            let next = try await lifecycle.next(after: flow, saying: .codeExhausted, in: context)
            return .guessesUsedUp(replacement: next)
        }
    }

    /// Applies the rules of address ownership to a correct code and the account that it was sent for.
    ///
    /// A code that an operator handed out doesn't prove an address.
    private func prove(
        _ guessed: CodeRepository.Guessed,
        of identity: Identifier,
        in flow: Flow,
        for context: RequestContext,
        in transaction: borrowing Transaction
    ) throws -> AddressProver.Verdict {
        if guessed.address.isIdentity(identity) {
            return try enterByOperatorsCode(identity, at: context.now, in: transaction)
        }
        return try prover.prove(
            AddressProver.Request(
                address: guessed.address,
                identity: identity,
                role: .recovery,
                proof: .entry,
                flow: flow.id,
                context: context
            ),
            at: context.now,
            in: transaction
        )
    }

    /// Accepts a code that an operator handed out, and confirms the account, because the operator vouches for
    /// the user.
    ///
    /// If the account was unconfirmed, its password and its other credentials are removed, because another user
    /// may have set them.
    private func enterByOperatorsCode(
        _ identity: Identifier,
        at now: Timestamp,
        in transaction: borrowing Transaction
    ) throws -> AddressProver.Verdict {
        guard
            try IdentityRepository.confirm(identity, in: transaction),
            let old = try IdentityRepository.load(identity, in: transaction)
        else { return .stale }
        guard old.confirmedAt == nil else { return .granted(old) }
        _ = try IdentityRepository.removePassword(of: identity, in: transaction)
        try CredentialRepository.deleteAll(of: identity, in: transaction)
        let new = old.confirming(at: now)
        try IdentityRepository.save(new, replacing: old, in: transaction)
        return .granted(new)
    }
}
