import LatchkeyAccounts
import LatchkeyModel
import LatchkeyWire

/// How a flow continues after the user has entered a code.
///
/// `Accepted` is the type of value that a correct code produces.
enum CodeDecision<Accepted: Sendable>: Sendable {
    /// The code is correct.
    case accept(Accepted)

    /// The code is wrong, and the user can try again.
    ///
    /// Recovery and verification flows respond with status 200, as in Kratos. `isCounted` is `false` if no
    /// guess was counted, because the flow has no usable code or the text can't be a code.
    case retry(UIMessage, isCounted: Bool = true)

    /// The submission is rejected.
    ///
    /// The flow responds with status 400 and stays open for another submission. `isCounted` is `false` if no
    /// guess was counted, because the flow has no usable code or the text can't be a code.
    case refuse(UIMessage, isCounted: Bool = true)

    /// The code has already been used or has no guesses left, so the flow is replaced with a new one.
    ///
    /// Only recovery and verification flows are replaced, because they offer no other method.
    case replace

    /// Decides how a flow continues after a code was rejected.
    ///
    /// Login and registration flows offer other methods besides codes, so they stay open even if the code has
    /// already been used or has no guesses left.
    ///
    /// Recovery and verification flows stay open after a wrong guess, but they are replaced if the code has
    /// already been used or has no guesses left.
    init(_ refusal: CodeRefusal, in kind: FlowKind) {
        let hasOtherMethods = kind == .login || kind == .registration
        self =
            switch refusal {
            case .wrong: hasOtherMethods ? .refuse(.wrongCode(kind)) : .retry(.wrongCode(kind))
            case .unusable:
                hasOtherMethods
                    ? .refuse(.wrongCode(kind), isCounted: false)
                    : .retry(.wrongCode(kind), isCounted: false)
            case .used: hasOtherMethods ? .refuse(.codeUsed, isCounted: false) : .replace
            case .exhausted: hasOtherMethods ? .refuse(.codeExhausted, isCounted: false) : .replace
            }
    }

    /// Returns a copy of the decision in which the accepted value has been transformed.
    ///
    /// All decisions except ``accept(_:)`` are returned unchanged and `transform` isn't called.
    func map<Result: Sendable>(_ transform: (Accepted) throws -> Result) rethrows -> CodeDecision<Result> {
        switch self {
        case .accept(let accepted): .accept(try transform(accepted))
        case .retry(let message, let isCounted): .retry(message, isCounted: isCounted)
        case .refuse(let message, let isCounted): .refuse(message, isCounted: isCounted)
        case .replace: .replace
        }
    }
}

/// The address that a code was entered for, and the identity that the address belongs to.
struct ProvenAddress: Sendable {
    /// The updated identity, which has already been saved in the transaction that checked the code.
    let identity: Identity
    /// The address that the code was sent to.
    let address: ContactAddress
}

extension CodeDecision<ProvenAddress> {
    /// Decides whether a correct code is accepted, following the rules of address ownership.
    ///
    /// Verification flows don't reveal why a code is rejected, because the caller may not have an account.
    ///
    /// If the account was deleted, or it no longer uses the address for the purpose that the code was sent
    /// for, the code is treated as wrong. Only login flows reveal that an account is disabled.
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

/// Why a code was rejected.
enum CodeRefusal: Error, CaseIterable {
    /// The code is wrong, which counts toward the limits.
    case wrong
    /// The code has expired or was never sent, or the submitted text can't be a code. The response is the one
    /// to a wrong code, but no guess was counted.
    case unusable
    /// The code has already been used. Each code can be used only once.
    case used
    /// The code has no guesses left.
    case exhausted
}

extension CodeVerifier.Verdict {
    /// Returns the code if the guess was correct and the code hasn't been used yet.
    ///
    /// If the flow had no usable code to compare the guess with, or the text can't be a code, the guess is
    /// treated as wrong.
    ///
    /// - Throws: ``CodeRefusal``.
    func accepted() throws(CodeRefusal) -> CodeRepository.Guessed {
        switch self {
        case .right(let guessed): return guessed
        case .wrong: throw .wrong
        case .notJudged(nil), .notJudged(.open), .notJudged(.expired): throw .unusable
        case .notJudged(.used): throw .used
        case .notJudged(.exhausted): throw .exhausted
        }
    }
}
