package import LatchkeyModel
import LatchkeyWire

/// What was submitted to a login, judged without looking at any account.
package enum LoginSubmission: Sendable {
    /// An identifier and a password to check; the form shows the identifier again.
    case password(identifier: String, Secret, Form)

    /// An identifier to send a code to.
    case sendCode(identifier: String, Form)

    /// A code to check; what cannot be a code is nothing, and wrong. The identifier must be the one that it was sent to.
    case checkCode(OneTimeCode?, identifier: String?, Form)

    /// Something is wrong with the form.
    case refused(Form)

    /// A method that exists and is switched off.
    case disabled

    /// Judges a submission.
    ///
    /// - Parameters:
    ///   - submission: What was submitted.
    ///   - flow: The flow.
    ///   - methods: The ways that lead through it.
    package init(_ submission: Submission, in flow: Flow, _ methods: FlowMethods) {
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
    /// The identifier; the form says if it is missing or too long.
    fileprivate func identifier(into form: inout Form) -> String? {
        guard let text = text("identifier", into: &form) else { return nil }
        guard text.utf8.count <= LoginIdentifier.byteLimit else {
            form.refuse("identifier", .tooLong(text.utf8.count, maximum: LoginIdentifier.byteLimit))
            return nil
        }
        return text
    }
}
