import LatchkeyAccounts
import LatchkeyModel
import LatchkeyWire

/// A flow's decision about a code that the user entered.
///
/// `Accepted` is the type of the value that an accepted code yields.
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

    /// The code was used or has no guesses left, so a new flow replaces this one.
    ///
    /// Only recoveries and verifications are replaced, because they have no other method.
    case replace

    /// Decides how a flow continues after a code that was not accepted.
    ///
    /// Logins and registrations offer methods other than codes, so they continue after a code was used or has
    /// no guesses left.
    ///
    /// After a wrong guess, a recovery or verification continues with the same flow. The flow is replaced
    /// when its code was already used or has no guesses left.
    init(_ refusal: CodeRefusal, in kind: FlowKind) {
        let hasOtherMethods = kind == .login || kind == .registration
        self =
            switch refusal {
            case .wrong: hasOtherMethods ? .refuse(.wrongCode(kind)) : .retry(.wrongCode(kind))
            case .used: hasOtherMethods ? .refuse(.codeUsed) : .replace
            case .exhausted: hasOtherMethods ? .refuse(.codeExhausted) : .replace
            }
    }

    /// Returns the same decision with a transformed result.
    ///
    /// Decisions other than ``accept(_:)`` are returned unchanged, without calling `transform`.
    func map<Result: Sendable>(_ transform: (Accepted) throws -> Result) rethrows -> CodeDecision<Result> {
        switch self {
        case .accept(let accepted): .accept(try transform(accepted))
        case .retry(let message): .retry(message)
        case .refuse(let message): .refuse(message)
        case .replace: .replace
        }
    }
}

/// The address that a code has proven, with the identity that the address belongs to.
struct ProvenAddress: Sendable {
    /// The updated identity, already saved in the transaction that checked the code.
    let identity: Identity
    /// The address to which the code was sent.
    let address: ContactAddress
}

extension CodeDecision<ProvenAddress> {
    /// Decides whether a correct code is accepted, according to the rules of address ownership.
    ///
    /// A verification does not reveal why it rejects a code, because the caller may have no account.
    ///
    /// A code is treated as wrong if its account was deleted, or if the address is no longer used in the
    /// account for the purpose for which the code was sent. Only logins reveal that an account is disabled.
    init(_ verdict: AddressProver.Verdict, on address: ContactAddress, in kind: FlowKind) {
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
    /// The code was already used; each code can be used once.
    case used
    /// The code has no guesses left.
    case exhausted
}

extension CodeVerifier.Verdict {
    /// Returns the code if it is correct and unused.
    ///
    /// If the guess was not compared with an open code, the guess is treated as wrong.
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
