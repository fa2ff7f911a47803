package import LatchkeyAccounts
package import LatchkeyModel
import LatchkeyServerKit
import LatchkeyWire

/// A submission to a registration, parsed without looking up an account.
package enum RegistrationInput: Sendable {
    /// Traits and a password for a new identity; the form contains the traits so that they can be shown
    /// again.
    case password(Traits, Secret, Form)

    /// A request to send a code to one of the addresses in the traits.
    case sendCode(Traits, ContactAddress, Form)

    /// A code to check, with the traits for which it was sent.
    ///
    /// The code is `nil` if the submitted text cannot be a code, which counts as a wrong guess.
    case checkCode(OneTimeCode?, Traits, Form)

    /// The traits of the first step, with which the registration continues.
    case profile(Traits, Form)

    /// A return to the first step; the form contains the traits so that they can be shown again.
    case back(Form)

    /// Parses a submission.
    ///
    /// - Parameters:
    ///   - submission: The parsed body.
    ///   - flow: The flow, with its state, its earlier traits and its verified phone number.
    ///   - schema: The flow's identity schema, against which the traits are validated.
    ///   - settings: The enabled methods, the style of registrations and the password policy.
    /// - Returns: The parsed input, or the form with error messages if the submission is invalid.
    package static func parse(
        _ submission: Submission,
        in flow: Flow,
        schema: IdentitySchema,
        settings: FormSettings
    ) -> FlowInput<RegistrationInput> {
        let methods = FlowMethods(.registration, schema: schema, settings: settings)
        if methods.profile, submission.optionalText("screen") == "previous" {
            var form = Form()
            _ = TraitValidator.read(submission.traits(in: flow), schema: schema, into: &form)
            return .valid(.back(Form(values: form.values)))
        }
        switch methods.method(submission.method) {
        case .unknown: return .refused(Form(messages: [.noStrategy(.registration)]))
        case .disabled: return .disabled
        case .password: return parse(password: submission, in: flow, schema: schema, settings: settings)
        case .code: return parse(code: submission, in: flow, schema: schema)
        case .profile:
            var form = Form()
            let traits = TraitValidator.read(submission.body["traits"], schema: schema, into: &form)
            checkSize(traits, into: &form)
            guard let traits, form.isValid else {
                return .refused(form)
            }
            return .valid(.profile(traits, form))
        }
    }

    /// Parses a submission with the method `password`.
    ///
    /// The traits, the verified phone number, the presence of an identifier and the password policy are
    /// checked.
    private static func parse(
        password submission: Submission,
        in flow: Flow,
        schema: IdentitySchema,
        settings: FormSettings
    ) -> FlowInput<RegistrationInput> {
        var form = Form()
        let traits = TraitValidator.read(submission.traits(in: flow), schema: schema, into: &form)
        let password = submission.text("password", into: &form)
        guard let traits, let password else {
            return .refused(form)
        }
        checkPhone(of: traits, in: flow, schema: schema, into: &form)
        if traits.identifiers.isEmpty, let field = schema.fields.first(where: \.schema.isIdentifier) {
            form.refuse(field.name, with: .missing(field.path.last ?? field.name))
        }
        let policy = PasswordPolicy(schema.policy, maximumLength: settings.maximumPasswordLength)
        if let refusal = policy.refusal(of: Secret(password), identifiers: traits.identifiers) {
            form.refuse("password", with: UIMessage(refusal))
        }
        return form.isValid ? .valid(.password(traits, Secret(password), form)) : .refused(form)
    }

    /// Parses a submission with the method `code`.
    ///
    /// If the flow waits for a code and the user does not request another one, the code is checked. Otherwise
    /// a code is sent to the first address in the traits that receives codes.
    private static func parse(code submission: Submission, in flow: Flow, schema: IdentitySchema)
        -> FlowInput<RegistrationInput>
    {
        var form = Form()
        guard let traits = TraitValidator.read(submission.traits(in: flow), schema: schema, into: &form)
        else {
            return .refused(form)
        }
        guard let address = schema.codeAddresses(in: traits).first else {
            return .refused(form.with(.noCodeAddress))
        }
        checkPhone(of: traits, in: flow, schema: schema, provedByCode: address, into: &form)
        checkSize(traits, into: &form)
        guard form.isValid else {
            return .refused(form)
        }
        if flow.state == .sentEmail, !submission.asksForAnotherCode {
            // The code proves control only of the address to which it was sent.
            guard traits.json == flow.traits else {
                return .refused(form.with(.traitsChanged))
            }
            guard let code = submission.text("code", into: &form) else {
                return .refused(form)
            }
            return .valid(.checkCode(OneTimeCode(code), traits, form))
        }
        return .valid(.sendCode(traits, address, form))
    }

    /// Rejects traits that are too large to be stored in the flow (``FlowBounds/traits``).
    private static func checkSize(_ traits: Traits?, into form: inout Form) {
        guard let traits, traits.json.count > FlowBounds.traits else { return }
        form.messages.append(.traitsTooLarge(maximum: FlowBounds.traits))
    }

    /// Requires the flow or the code to prove the phone number if the schema requires a verified one.
    private static func checkPhone(
        of traits: Traits,
        in flow: Flow,
        schema: IdentitySchema,
        provedByCode address: ContactAddress? = nil,
        into form: inout Form
    ) {
        guard let name = schema.policy.verifiedPhone else { return }
        if let phone = traits.phoneToVerify, address?.value == phone.e164 { return }
        guard let verified = flow.verifiedPhone else {
            form.refuse("traits." + name, with: .phoneNotVerified)
            return
        }
        if traits.phoneToVerify?.e164 != verified { form.refuse("traits." + name, with: .otherPhoneVerified) }
    }
}

extension Submission {
    /// Returns the submitted traits, or the traits of an earlier step if none were submitted.
    fileprivate func traits(in flow: Flow) -> OrderedJSON? {
        if let traits = body["traits"], traits != .null { return traits }
        return flow.traits.flatMap { try? JSONParser.parse($0, from: .storage) }
    }
}
