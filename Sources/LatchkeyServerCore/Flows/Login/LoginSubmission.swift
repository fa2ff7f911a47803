package import LatchkeyModel
import LatchkeyWire

/// What was submitted to a login, judged without looking at any account.
package enum LoginSubmission: Sendable {
    /// An identifier and a password to check; the form shows the identifier again.
    case password(identifier: String, Secret, Form)

    /// Something is wrong with the form.
    case refused(Form)

    /// A method that exists and is switched off.
    case disabled

    /// Judges a submission.
    package init(_ submission: Submission, in flow: Flow, passwordEnabled: Bool) {
        switch FlowMethod(submission.method, passwordEnabled: passwordEnabled && flow.requestedAAL == "aal1")
        {
        case .unknown: self = .refused(Form(messages: [.noStrategy(.login)]))
        case .disabled: self = .disabled
        case .password:
            var form = Form()
            let identifier = Self.text("identifier", of: submission, into: &form)
            let password = Self.text("password", of: submission, into: &form)
            if let identifier { form.values["identifier"] = .string(identifier) }
            guard let identifier, let password else {
                self = .refused(form)
                return
            }
            self = .password(identifier: identifier, Secret(password), form)
        }
    }

    private static func text(_ name: String, of submission: Submission, into form: inout Form) -> String? {
        switch submission.body[name] {
        case .string(let text)? where !text.isEmpty: return text
        case nil, .string?, .null?: form.refuse(name, .missing(name))
        case let value?: form.refuse(name, .wrongType(value.unordered, expected: "string"))
        }
        return nil
    }
}
