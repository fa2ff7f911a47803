import LatchkeyAccounts
package import LatchkeyModel
import LatchkeyWire

/// A submission to a login flow, parsed without looking up an account.
package enum LoginInput: Sendable {
    /// Checks a password. The form contains the identifier so that it can be shown again.
    ///
    /// The identifier has at most ``LoginIdentifier/byteLimit`` bytes. The length of the password is limited
    /// only by the size of the body.
    case password(identifier: String, Secret, Form)

    /// Sends a code to an identifier.
    case sendCode(identifier: String, Form)

    /// Checks a code. The value is `nil` if the submitted text can't be a code, which isn't a guess.
    ///
    /// If an identifier is submitted, it must be the one that the code was sent to.
    case checkCode(OneTimeCode?, identifier: String?, Form)

    /// Parses a submission.
    ///
    /// - Parameters:
    ///   - submission: The parsed request body.
    ///   - flow: The flow, whose state determines whether to send a code or to check one.
    ///   - methods: The methods that the flow offers.
    ///   - identifiersAreAddresses: Whether no account can have an identifier that is neither a phone number
    ///     nor an e-mail address. If so, a malformed phone number is rejected before an attempt is counted.
    /// - Returns: The parsed input. If the submission is invalid, the form with error messages is returned
    ///   instead.
    package static func parse(
        _ submission: Submission,
        in flow: Flow,
        methods: FlowMethods,
        identifiersAreAddresses: Bool
    ) -> FlowInput<LoginInput> {
        switch methods.method(submission.method) {
        case .unknown, .profile: return .refused(Form(messages: [.noStrategy(.login)]))
        case .disabled: return .disabled
        case .password:
            var form = Form()
            let identifier = submission.identifier(isAddress: identifiersAreAddresses, into: &form)
            let password = submission.text("password", into: &form)
            if let identifier { form.values["identifier"] = .string(identifier) }
            guard let identifier, let password else {
                return .refused(form)
            }
            return .valid(.password(identifier: identifier, Secret(password), form))
        case .code:
            return parse(code: submission, in: flow)
        }
    }

    /// Parses a submission that uses the `code` method.
    ///
    /// If the flow is waiting for a code and the user doesn't ask for another one, the code is checked.
    /// Otherwise, a code is sent to the submitted identifier, or to the address that the previous code was
    /// sent to.
    private static func parse(code submission: Submission, in flow: Flow) -> FlowInput<LoginInput> {
        var form = Form()
        let submitted = submission.optionalText("identifier")
        if submitted != nil, submission.identifier(isAddress: true, into: &form) == nil {
            return .refused(form)
        }
        if flow.state == .sentEmail, !submission.asksForAnotherCode {
            guard let code = submission.text("code", into: &form) else {
                return .refused(form)
            }
            return .valid(.checkCode(OneTimeCode(code), identifier: submitted, form))
        }
        guard let identifier = submitted ?? flow.address else {
            _ = submission.text("identifier", into: &form)
            return .refused(form)
        }
        form.values["identifier"] = .string(identifier)
        return .valid(.sendCode(identifier: identifier, form))
    }
}

extension Submission {
    /// Returns the submitted identifier.
    ///
    /// If the identifier is missing or too long, or if it must be an address and is a malformed phone number,
    /// adds an error to the field and returns `nil`.
    fileprivate func identifier(isAddress: Bool, into form: inout Form) -> String? {
        guard let text = text("identifier", into: &form) else { return nil }
        guard text.utf8.count <= LoginIdentifier.byteLimit else {
            form.refuse("identifier", with: .tooLong(text.utf8.count, maximum: LoginIdentifier.byteLimit))
            return nil
        }
        if isAddress, PhoneNumber.resembles(text), ContactAddress(LoginIdentifier.normalize(text)) == nil {
            form.values["identifier"] = .string(text)
            form.refuse("identifier", with: .invalidPhone(text))
            return nil
        }
        return text
    }
}
