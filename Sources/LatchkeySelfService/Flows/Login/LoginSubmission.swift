import LatchkeyAccounts
package import LatchkeyModel
import LatchkeyWire

/// A submission to a login, interpreted without a lookup of any account.
package enum LoginSubmission: Sendable {
    /// Check an identifier and a password; the form contains the identifier, to show it again.
    case password(identifier: String, Secret, Form)

    /// Send a code to an identifier.
    case sendCode(identifier: String, Form)

    /// Check a code; `nil` for a text that does not have the form of a code, which is a wrong guess.
    ///
    /// An identifier, if submitted, must be the one to which the code was sent.
    case checkCode(OneTimeCode?, identifier: String?, Form)

    /// The form is invalid; its messages say why.
    case refused(Form)

    /// The method exists, but is disabled.
    case disabled

    /// Interprets a submission.
    ///
    /// - Parameters:
    ///   - submission: The parsed body.
    ///   - flow: The flow; its state decides whether a code is to be sent or checked.
    ///   - methods: The methods that the flow offers.
    package init(_ submission: Submission, in flow: Flow, methods: FlowMethods) {
        switch methods.method(submission.method) {
        case .unknown, .profile: self = .refused(Form(messages: [.noStrategy(.login)]))
        case .disabled: self = .disabled
        case .password:
            var form = Form()
            let identifier = submission.identifier(into: &form)
            let password = submission.text("password", into: &form)
            if let identifier { form.values["identifier"] = .string(identifier) }
            guard let identifier, let password else {
                self = .refused(form)
                return
            }
            self = .password(identifier: identifier, Secret(password), form)
        case .code:
            self = .init(code: submission, in: flow)
        }
    }

    /// Interprets a submission with the method `code`.
    ///
    /// A code is checked if the flow waits for one and the user does not request another; else it is sent, to
    /// the submitted identifier or to the address of the last one.
    private init(code submission: Submission, in flow: Flow) {
        var form = Form()
        let submitted = submission.optionalText("identifier")
        if submitted != nil, submission.identifier(into: &form) == nil {
            self = .refused(form)
            return
        }
        if flow.state == .sentEmail, !submission.asksForAnotherCode {
            guard let code = submission.text("code", into: &form) else {
                self = .refused(form)
                return
            }
            self = .checkCode(OneTimeCode(code), identifier: submitted, form)
            return
        }
        guard let identifier = submitted ?? flow.address else {
            _ = submission.text("identifier", into: &form)
            self = .refused(form)
            return
        }
        form.values["identifier"] = .string(identifier)
        self = .sendCode(identifier: identifier, form)
    }
}

extension Submission {
    /// Returns the identifier; if it is missing or too long, refuses the field and returns `nil`.
    fileprivate func identifier(into form: inout Form) -> String? {
        guard let text = text("identifier", into: &form) else { return nil }
        guard text.utf8.count <= LoginIdentifier.byteLimit else {
            form.refuse("identifier", with: .tooLong(text.utf8.count, maximum: LoginIdentifier.byteLimit))
            return nil
        }
        return text
    }
}
