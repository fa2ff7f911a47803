import LatchkeyAccounts
import LatchkeyWire

/// The decision of a flow about an entered code; `Accepted` is what follows from a code that is accepted.
enum CodeDecision<Accepted: Sendable>: Sendable {
    /// The code is correct, and the caller may use it for this address.
    case accept(Accepted)

    /// The flow waits for another guess.
    ///
    /// Recoveries and verifications respond with 200, as in Kratos.
    case retry(UIMessage)

    /// The submission is rejected.
    ///
    /// The flow responds with 400 and accepts another submission.
    case refuse(UIMessage)

    /// The code was used, or its guesses are used up, so the flow is replaced by a new one.
    ///
    /// It occurs in recoveries and verifications only, which have no other method.
    case replace

    /// Decides about a code that was not accepted.
    ///
    /// Logins and registrations have other methods than codes, so they continue after a code is used up.
    ///
    /// A recovery or a verification continues after a wrong guess with the same flow, and is replaced after
    /// its code is used up.
    init(_ refusal: CodeRefusal, in kind: FlowKind) {
        let hasOtherMethods = kind == .login || kind == .registration
        self =
            switch refusal {
            case .wrong: hasOtherMethods ? .refuse(.wrongCode(kind)) : .retry(.wrongCode(kind))
            case .used: hasOtherMethods ? .refuse(.codeUsed) : .replace
            case .exhausted: hasOtherMethods ? .refuse(.codeExhausted) : .replace
            }
    }

    /// Returns the same decision, with what follows from the accepted code.
    ///
    /// All other decisions are returned unchanged, without a call of `transform`.
    func map<Result: Sendable>(_ transform: (Accepted) throws -> Result) rethrows -> CodeDecision<Result> {
        switch self {
        case .accept(let accepted): .accept(try transform(accepted))
        case .retry(let message): .retry(message)
        case .refuse(let message): .refuse(message)
        case .replace: .replace
        }
    }
}

/// The address that a code proves, with its identity.
struct ProvenAddress: Sendable {
    /// The identity in its new state, which the transaction of the code has saved already.
    let identity: Identity
    /// The address to which the code was sent.
    let address: Traits.Address
}

extension CodeDecision<ProvenAddress> {
    /// Decides about a correct code by the rules of address ownership.
    ///
    /// A verification does not tell why it does not accept a code: its caller may have no account.
    ///
    /// A code counts as wrong if its account was deleted, or if the address has lost the role for which the
    /// code was sent. A disabled account is revealed in logins only.
    init(_ verdict: AddressProver.Verdict, on address: Traits.Address, in kind: FlowKind) {
        self =
            switch (verdict, kind) {
            case (.granted(let identity), _):
                .accept(ProvenAddress(identity: identity, address: address))
            case (.refused, .login), (.refused, .registration), (.refused, .recovery):
                .refuse(.addressNotProven)
            case (.disabled, .login): .refuse(.identityDisabled)
            case (.refused, _), (.disabled, _), (.stale, _): CodeDecision(.wrong, in: kind)
            }
    }
}

/// The reason why a code was not accepted.
enum CodeRefusal: Error, CaseIterable {
    /// The code is wrong, has expired, or was never sent.
    case wrong
    /// The code was entered correctly before; a code can be used once.
    case used
    /// The guesses at the code are used up.
    case exhausted
}

extension CodeVerifier.Verdict {
    /// Returns the code, if it is correct and was not used before.
    ///
    /// A code that is still open, although the guess was not compared, counts as wrong.
    ///
    /// - Throws: ``CodeRefusal``.
    func accepted() throws(CodeRefusal) -> CodeRepository.Guessed {
        switch self {
        case .right(let guessed): return guessed
        case .wrong, .notJudged(nil), .notJudged(.open), .notJudged(.expired): throw .wrong
        case .notJudged(.used): throw .used
        case .notJudged(.exhausted): throw .exhausted
        }
    }
}
