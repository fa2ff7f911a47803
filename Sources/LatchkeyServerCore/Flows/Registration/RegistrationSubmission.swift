package import LatchkeyModel
import LatchkeyWire

/// What was submitted to a registration, judged without looking at any account.
package enum RegistrationSubmission: Sendable {
    /// An identity to make with a password; the form shows its traits again.
    case password(Traits, Secret, Form)

    /// Traits whose address is to be sent a code.
    case sendCode(Traits, Traits.Address, Form)

    /// A code to check, which was sent for these traits; what cannot be a code is nothing, and wrong.
    case checkCode(OneTimeCode?, Traits, Form)

    /// The traits of the first step, to go on with.
    case profile(Traits, Form)

    /// The way back to the traits.
    case back(Form)

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
        let methods = FlowMethods(.registration, schema, settings)
        if methods.profile, submission.optionalText("screen") == "previous" {
            var form = Form()
            _ = TraitReader.read(submission.traits(in: flow), schema, into: &form)
            self = .back(Form(values: form.values))
            return
        }
        switch methods.method(submission.method) {
        case .unknown: self = .refused(Form(messages: [.noStrategy(.registration)]))
        case .disabled: self = .disabled
        case .password: self = .init(password: submission, in: flow, schema, settings)
        case .code: self = .init(code: submission, in: flow, schema)
        case .profile:
            var form = Form()
            let traits = TraitReader.read(submission.body["traits"], schema, into: &form)
            Self.checkSize(traits, into: &form)
            if let traits, form.isValid {
                self = .profile(traits, form)
            } else {
                self = .refused(form)
            }
        }
    }

    private init(
        password submission: Submission,
        in flow: Flow,
        _ schema: IdentitySchema,
        _ settings: ServerSettings
    ) {
        var form = Form()
        let traits = TraitReader.read(submission.traits(in: flow), schema, into: &form)
        let password = submission.text("password", into: &form)
        guard let traits, let password else {
            self = .refused(form)
            return
        }
        Self.checkPhone(traits, flow, schema, into: &form)
        if traits.identifiers.isEmpty, let field = schema.fields.first(where: \.schema.isIdentifier) {
            form.refuse(field.name, .missing(field.path.last ?? field.name))
        }
        let policy = PasswordPolicy(schema.policy, settings)
        if let refusal = policy.refusal(of: Secret(password), identifiers: traits.identifiers) {
            form.refuse("password", refusal)
        }
        self = form.isValid ? .password(traits, Secret(password), form) : .refused(form)
    }

    private init(code submission: Submission, in flow: Flow, _ schema: IdentitySchema) {
        var form = Form()
        guard let traits = TraitReader.read(submission.traits(in: flow), schema, into: &form) else {
            self = .refused(form)
            return
        }
        guard let address = schema.codeAddresses(in: traits).first else {
            self = .refused(form.with(.noCodeAddress))
            return
        }
        Self.checkPhone(traits, flow, schema, provedByCode: address, into: &form)
        Self.checkSize(traits, into: &form)
        guard form.isValid else {
            self = .refused(form)
            return
        }
        if flow.state == .sentEmail, !submission.asksForAnotherCode {
            // The code proves control of the address that it was sent to, and of no other.
            guard traits.json == flow.traits else {
                self = .refused(form.with(.traitsChanged))
                return
            }
            guard let code = submission.text("code", into: &form) else {
                self = .refused(form)
                return
            }
            self = .checkCode(OneTimeCode(code), traits, form)
            return
        }
        self = .sendCode(traits, address, form)
    }

    /// Refuses traits that do not fit into the flow that has to store them.
    private static func checkSize(_ traits: Traits?, into form: inout Form) {
        guard let traits, traits.json.count > FlowBounds.traits else { return }
        form.messages.append(.traitsTooLarge(maximum: FlowBounds.traits))
    }

    /// Holds the phone number against the one that was verified in this flow, where the schema asks for it.
    private static func checkPhone(
        _ traits: Traits,
        _ flow: Flow,
        _ schema: IdentitySchema,
        provedByCode address: Traits.Address? = nil,
        into form: inout Form
    ) {
        guard let name = schema.policy.verifiedPhone else { return }
        if let phone = traits.phoneToVerify, address?.value == phone.e164 { return }
        guard let verified = flow.verifiedPhone else {
            form.refuse("traits." + name, .phoneNotVerified)
            return
        }
        if traits.phoneToVerify?.e164 != verified { form.refuse("traits." + name, .otherPhoneVerified) }
    }
}

extension Submission {
    /// The traits that were submitted; those of an earlier step when there are none.
    fileprivate func traits(in flow: Flow) -> OrderedJSON? {
        if let traits = body["traits"], traits != .null { return traits }
        return flow.traits.flatMap { try? JSONParser.parse($0, from: .storage) }
    }
}
