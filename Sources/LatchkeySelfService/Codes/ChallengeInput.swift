package import LatchkeyAccounts
package import LatchkeyModel
import LatchkeyWire

/// A submission to a flow that only requires a code: a recovery or a verification.
package enum ChallengeInput: Sendable {
    /// Send a code to an address.
    ///
    /// The address is normalized, and may belong to no account.
    case sendCode(Traits.Address)

    /// Check a code; `nil` for a text that does not have the form of a code, which is a wrong guess.
    case checkCode(OneTimeCode?)

    /// Parses a submission, without a lookup of any account.
    ///
    /// If both an address and a code were submitted, a recovery uses the address and a verification the code,
    /// as in Kratos.
    ///
    /// - Parameters:
    ///   - submission: The parsed body.
    ///   - flow: The flow; its kind and state decide which field is required.
    ///   - methods: The methods that the flow offers.
    /// - Returns: The input, or the form with the error messages.
    package static func parse(_ submission: Submission, in flow: Flow, methods: FlowMethods)
        -> FlowInput<ChallengeInput>
    {
        let (email, code) = (submission.optionalText("email"), submission.optionalText("code"))
        // There is only one method, so that a submission with an address or a code need not name it.
        let name = submission.method ?? (email == nil && code == nil ? nil : "code")
        switch methods.method(name) {
        case .unknown, .password, .profile:
            return .refused(Form(messages: [.noStrategy(flow.kind)]))
        case .disabled: return .disabled
        case .code:
            let waits = flow.state == .sentEmail
            if let code, waits || flow.kind == .verification, flow.kind == .verification || email == nil {
                return .valid(.checkCode(OneTimeCode(code)))
            } else if let email {
                return parse(address: email)
            } else {
                var form = Form()
                _ = submission.text(waits ? "code" : "email", into: &form)
                return .refused(form)
            }
        }
    }

    /// Accepts an e-mail address or a phone number; rejects the field for any other text.
    private static func parse(address text: String) -> FlowInput<ChallengeInput> {
        guard text.utf8.count <= LoginIdentifier.byteLimit else {
            var form = Form()
            form.refuse("email", with: .tooLong(text.utf8.count, maximum: LoginIdentifier.byteLimit))
            return .refused(form)
        }
        let normalized = LoginIdentifier.normalize(text)
        if let address = Traits.Address(normalized) {
            return .valid(.sendCode(address))
        }
        var form = Form(values: ["email": .string(text)])
        form.refuse("email", with: normalized.hasPrefix("+") ? .invalidPhone(text) : .invalidEmail(text))
        return .refused(form)
    }
}
