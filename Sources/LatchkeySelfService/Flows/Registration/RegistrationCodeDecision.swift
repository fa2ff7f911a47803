import LatchkeyAccounts
import LatchkeyModel
import LatchkeyWire

/// How a registration continues after the user has entered a code.
enum RegistrationCodeDecision: Sendable {
    /// The address is proven, and the registration continues.
    case prove(ContactAddress)

    /// The code was rejected. The user can enter another code or use another method.
    ///
    /// `isCounted` is `false` if no guess was counted, because the flow has no usable code or the text can't
    /// be a code.
    case refuse(UIMessage, isCounted: Bool = true)

    /// Decides whether a code proves an address.
    ///
    /// The first code of a registration by code is the new account's credential, so it must have been sent to
    /// the flow's address: it may also have been sent to verify a phone number in the same flow. Later codes,
    /// and codes in addition to a password, prove the address that they were sent to, even if a concurrent
    /// request has stored another address in the flow.
    init(_ verdict: CodeVerifier.Verdict, in flow: Flow) {
        do throws(CodeRefusal) {
            let guessed = try verdict.accepted()
            let isCredential = flow.state == .sentEmail && flow.provenAddresses.isEmpty
            self =
                isCredential && guessed.address.value != flow.address
                ? .refuse(.wrongCode(.registration)) : .prove(guessed.address)
        } catch {
            switch error {
            case .wrong: self = .refuse(.wrongCode(.registration))
            case .unusable: self = .refuse(.wrongCode(.registration), isCounted: false)
            case .used: self = .refuse(.codeUsed, isCounted: false)
            case .exhausted: self = .refuse(.codeExhausted, isCounted: false)
            }
        }
    }
}
