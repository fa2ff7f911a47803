package import LatchkeyModel
import LatchkeyWire

/// What was submitted to a flow that only asks for a code: a recovery or a verification.
package enum ChallengeSubmission: Sendable {
    /// An address to send a code to.
    case sendCode(Traits.Address)

    /// A code to check; what cannot be a code is nothing, and wrong.
    case checkCode(OneTimeCode?)

    /// Something is wrong with the form.
    case refused(Form)

    /// A method that exists and is switched off.
    case disabled

    /// Judges a submission.
    ///
    /// Kratos lets the address win in a recovery that was sent both, and the code in a verification.
    ///
    /// - Parameters:
    ///   - submission: What was submitted.
    ///   - flow: The flow.
    ///   - methods: The ways that lead through it.
    package init(_ submission: Submission, in flow: Flow, _ methods: FlowMethods) {
        let (email, code) = (submission.optionalText("email"), submission.optionalText("code"))
        // There is but one way, so that naming it says nothing.
        let name = submission.method ?? (email == nil && code == nil ? nil : "code")
        switch methods.method(name) {
        case .unknown, .password, .profile:
            self = .refused(Form(messages: [.noStrategy(flow.kind)]))
        case .disabled: self = .disabled
        case .code:
            let waits = flow.state == .sentEmail
            if let code, waits || flow.kind == .verification, flow.kind == .verification || email == nil {
                self = .checkCode(OneTimeCode(code))
            } else if let email {
                self = .init(address: email)
            } else {
                var form = Form()
                _ = submission.text(waits ? "code" : "email", into: &form)
                self = .refused(form)
            }
        }
    }

    private init(address text: String) {
        guard text.utf8.count <= LoginIdentifier.byteLimit else {
            var form = Form()
            form.refuse("email", .tooLong(text.utf8.count, maximum: LoginIdentifier.byteLimit))
            self = .refused(form)
            return
        }
        if let address = Traits.Address(LoginIdentifier.normalize(text)) {
            self = .sendCode(address)
            return
        }
        var form = Form(values: ["email": .string(text)])
        form.refuse("email", text.hasPrefix("+") ? .invalidPhone(text) : .invalidEmail(text))
        self = .refused(form)
    }
}
