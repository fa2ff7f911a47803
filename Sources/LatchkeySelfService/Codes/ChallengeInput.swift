import LatchkeyAccounts
package import LatchkeyModel
import LatchkeyWire

/// A submission to a recovery or verification flow.
package enum ChallengeInput: Sendable {
    /// Asks for a code to be sent to an address.
    ///
    /// The address is normalized and doesn't need to belong to an account.
    case sendCode(ContactAddress)

    /// Checks a code. The value is `nil` if the submitted text can't be a code, which isn't a guess.
    case checkCode(OneTimeCode?)

    /// Parses a submission without looking up an account.
    ///
    /// If a submission contains both an address and a code, recovery flows use the address and verification
    /// flows use the code, as in Kratos.
    ///
    /// - Parameters:
    ///   - submission: The parsed request body.
    ///   - flow: The flow, whose kind and state determine which field is required.
    ///   - methods: The methods that the flow offers.
    /// - Returns: The parsed input. If the submission is invalid, the form with error messages is returned
    ///   instead.
    package static func parse(_ submission: Submission, in flow: Flow, methods: FlowMethods)
        -> FlowInput<ChallengeInput>
    {
        let (email, code) = (submission.optionalText("email"), submission.optionalText("code"))
        // There is only one method, so clients don't have to name it if they submit an address or a code.
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

    /// Parses an e-mail address or phone number.
    ///
    /// For any other text, an error message is shown next to the field.
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
        form.refuse("email", with: PhoneNumber.resembles(text) ? .invalidPhone(text) : .invalidEmail(text))
        return .refused(form)
    }
}
