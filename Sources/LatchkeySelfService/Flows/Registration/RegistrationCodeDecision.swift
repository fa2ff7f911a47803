import LatchkeyAccounts
import LatchkeyWire

/// The decision of a registration about an entered code.
enum RegistrationCodeDecision: Sendable {
    /// The account is created with a proven address.
    case register(Traits.Address)

    /// The code was not accepted; the flow accepts another guess or another method.
    case refuse(UIMessage)

    /// Decides about a code.
    ///
    /// A code that verified a phone number in the same flow proves another address than that of the flow.
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
