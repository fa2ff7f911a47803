import LatchkeyAccounts
import LatchkeyModel
import LatchkeyWire

/// How a registration continues after the user has entered a code.
enum RegistrationCodeDecision: Sendable {
    /// The account is created, and the address is proven.
    case register(ContactAddress)

    /// The code was rejected. The user can enter another code or use another method.
    case refuse(UIMessage)

    /// Decides whether a code completes the registration.
    ///
    /// If the code was sent to a different address than the flow's, it is treated as wrong even if it is
    /// correct. For example, it may have been sent to verify a phone number in the same flow.
    init(_ verdict: CodeVerifier.Verdict, in flow: Flow) {
        do throws(CodeRefusal) {
            let guessed = try verdict.accepted()
            self =
                guessed.address.value == flow.address
                ? .register(guessed.address) : .refuse(.wrongCode(.registration))
        } catch {
            switch error {
            case .wrong: self = .refuse(.wrongCode(.registration))
            case .used: self = .refuse(.codeUsed)
            case .exhausted: self = .refuse(.codeExhausted)
            }
        }
    }
}
