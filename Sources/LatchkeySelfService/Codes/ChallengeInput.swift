import LatchkeyAccounts
package import LatchkeyModel
import LatchkeyWire

/// A submission to a recovery or verification flow, which requires only a code.
package enum ChallengeInput: Sendable {
    /// A request to send a code to an address.
    ///
    /// The address is normalized and need not belong to an account.
    case sendCode(ContactAddress)

    /// A code to check; `nil` if the submitted text cannot be a code, which counts as a wrong guess.
    case checkCode(OneTimeCode?)

    /// Parses a submission without looking up an account.
    ///
    /// If a submission contains both an address and a code, a recovery uses the address and a verification
    /// uses the code, as in Kratos.
    ///
    /// - Parameters:
    ///   - submission: The parsed body.
    ///   - flow: The flow; its kind and state decide which field is required.
    ///   - methods: The methods that the flow offers.
    /// - Returns: The parsed input, or the form with error messages if the submission is invalid.
    package static func parse(_ submission: Submission, in flow: Flow, methods: FlowMethods)
        -> FlowInput<ChallengeInput>
    {
        let (email, code) = (submission.optionalText("email"), submission.optionalText("code"))
        // There is only one method, so a submission with an address or a code need not name it.
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

    /// Parses an e-mail address or a phone number; any other text results in an error message at the field.
    private static func parse(address text: String) -> FlowInput<ChallengeInput> {
        guard text.utf8.count <= LoginIdentifier.byteLimit else {
            var form = Form()
            form.refuse("email", with: .tooLong(text.utf8.count, maximum: LoginIdentifier.byteLimit))
            return .refused(form)
        }
        let normalized = LoginIdentifier.normalize(text)
        if let address = ContactAddress(normalized) {
            return .valid(.sendCode(address))
        }
        var form = Form(values: ["email": .string(text)])
        form.refuse("email", with: normalized.hasPrefix("+") ? .invalidPhone(text) : .invalidEmail(text))
        return .refused(form)
    }
}
