package import LatchkeyModel
import LatchkeyWire

/// What was submitted to a registration, judged without looking at any account.
package enum RegistrationSubmission: Sendable {
    /// An identity to make; the form shows its traits again.
    case password(Traits, Secret, Form)

    /// Something is wrong with the form.
    case refused(Form)

    /// A method that exists and is switched off.
    case disabled

    /// Judges a submission.
    ///
    /// - Parameters:
    ///   - submission: What was submitted.
    ///   - flow: The flow.
    ///   - schema: The flow's identity schema.
    ///   - settings: The server's settings.
    package init(
        _ submission: Submission,
        in flow: Flow,
        _ schema: IdentitySchema,
        _ settings: ServerSettings
    ) {
        switch FlowMethod(submission.method, passwordEnabled: settings.passwordEnabled) {
        case .unknown: self = .refused(Form(messages: [.noStrategy(.registration)]))
        case .disabled: self = .disabled
        case .password:
            var form = Form()
            let traits = TraitReader.read(submission.body["traits"], schema, into: &form)
            let password = Self.password(submission.body["password"], into: &form)
            guard let traits, let password else {
                self = .refused(form)
                return
            }
            Self.checkPhone(traits, flow, schema, into: &form)
            let policy = PasswordPolicy(schema.policy, settings)
            if let refusal = policy.refusal(of: password, identifiers: traits.identifiers) {
                form.refuse("password", refusal)
            }
            self = form.isValid ? .password(traits, password, form) : .refused(form)
        }
    }

    private static func password(_ value: OrderedJSON?, into form: inout Form) -> Secret? {
        switch value {
        case .string(let text)? where !text.isEmpty: return Secret(text)
        case nil, .string?, .null?: form.refuse("password", .missing("password"))
        case let value?: form.refuse("password", .wrongType(value.unordered, expected: "string"))
        }
        return nil
    }

    /// Holds the phone number against the one that was verified in this flow, where the schema asks for it.
    private static func checkPhone(
        _ traits: Traits,
        _ flow: Flow,
        _ schema: IdentitySchema,
        into form: inout Form
    ) {
        guard let name = schema.policy.verifiedPhone else { return }
        guard let verified = flow.verifiedPhone else {
            form.refuse("traits." + name, .phoneNotVerified)
            return
        }
        if traits.phoneToVerify?.e164 != verified { form.refuse("traits." + name, .otherPhoneVerified) }
    }
}
