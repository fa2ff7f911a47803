package import LatchkeyAccounts
package import LatchkeyModel
import LatchkeyServerKit
import LatchkeyWire

/// A submission to a registration flow, parsed without looking up an account.
package enum RegistrationInput: Sendable {
    /// A submitted code.
    ///
    /// The code is `nil` if the text can't be a code, which doesn't count as a guess.
    package struct Guess: Hashable, Sendable {
        let code: OneTimeCode?
    }

    /// Traits and a password for a new identity, and a code if the flow has sent one to an address that
    /// another account claims. The form contains the traits so that they can be shown again.
    case password(Traits, Secret, Guess?, Form)

    /// Sends a code to one of the addresses in the traits.
    case sendCode(Traits, ContactAddress, Form)

    /// Checks a code. The traits were submitted when the code was requested.
    ///
    /// The code is `nil` if the submitted text can't be a code, which isn't a guess.
    case checkCode(OneTimeCode?, Traits, Form)

    /// Submits the traits of the first step. The registration then continues with the next step.
    case profile(Traits, Form)

    /// Goes back to the first step. The form contains the traits so that they can be shown again.
    case back(Form)

    /// Parses a submission.
    ///
    /// - Parameters:
    ///   - submission: The parsed request body.
    ///   - flow: The flow, with its state, its earlier traits and its verified phone number.
    ///   - schema: The flow's identity schema, used to validate the traits.
    ///   - settings: The enabled methods, the registration style, the password policy and the e-mail
    ///     addresses to accept.
    /// - Returns: The parsed input. If the submission is invalid, the form with error messages is returned
    ///   instead.
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
        case .code: return parse(code: submission, in: flow, schema: schema, settings: settings)
        case .profile:
            var form = Form()
            let traits = TraitValidator.read(
                submission.body["traits"],
                schema: schema,
                mailboxes: settings.mailboxes(),
                into: &form
            )
            checkSize(traits, into: &form)
            guard let traits, form.isValid else {
                return .refused(form)
            }
            return .valid(.profile(traits, form))
        }
    }

    /// Parses a submission that uses the `password` method.
    ///
    /// The submission is rejected if the traits are invalid, if they contain no identifier, if the password
    /// violates the policy, or if the schema requires a verified phone number and the flow hasn't verified
    /// the one in the traits.
    private static func parse(
        password submission: Submission,
        in flow: Flow,
        schema: IdentitySchema,
        settings: FormSettings
    ) -> FlowInput<RegistrationInput> {
        var form = Form()
        let traits = TraitValidator.read(
            submission.traits(in: flow),
            schema: schema,
            mailboxes: settings.mailboxes(),
            into: &form
        )
        let password = submission.text("password", into: &form)
        guard let traits, let password else {
            return .refused(form)
        }
        checkPhone(of: traits, in: flow, schema: schema, provenByCode: flow.provenAddresses, into: &form)
        if traits.identifiers.isEmpty, let field = schema.fields.first(where: \.schema.isIdentifier) {
            form.refuse(field.name, with: .missing(field.path.last ?? field.name))
        }
        let policy = PasswordPolicy(schema.policy, maximumLength: settings.maximumPasswordLength)
        if let refusal = policy.refusal(of: Secret(password), identifiers: traits.identifiers) {
            form.refuse("password", with: UIMessage(refusal))
        }
        if settings.registrationStyle == .profileFirst { checkSize(traits, into: &form) }
        let guess = submission.optionalText("code").map { Guess(code: OneTimeCode($0)) }
        return form.isValid ? .valid(.password(traits, Secret(password), guess, form)) : .refused(form)
    }

    /// Parses a submission that uses the `code` method.
    ///
    /// If the flow is waiting for a code and the user doesn't ask for another one, the code is checked.
    /// Otherwise, a code is sent to the first address in the traits that can receive codes.
    private static func parse(
        code submission: Submission,
        in flow: Flow,
        schema: IdentitySchema,
        settings: FormSettings
    ) -> FlowInput<RegistrationInput> {
        var form = Form()
        let read = TraitValidator.read(
            submission.traits(in: flow),
            schema: schema,
            mailboxes: settings.mailboxes(),
            into: &form
        )
        guard let traits = read else {
            return .refused(form)
        }
        let addresses = schema.codeAddresses(in: traits)
        // After the first code, the flow may ask for codes to addresses that other accounts claim.
        let awaited = flow.provenAddresses.isEmpty || traits.json != flow.traits ? nil : flow.awaitedAddress
        guard let address = awaited ?? addresses.first else {
            return .refused(form.with(.noCodeAddress))
        }
        checkPhone(
            of: traits,
            in: flow,
            schema: schema,
            provenByCode: [address] + flow.provenAddresses,
            into: &form
        )
        checkSize(traits, into: &form)
        guard form.isValid else {
            return .refused(form)
        }
        if flow.state == .sentEmail, !submission.asksForAnotherCode {
            // The code only proves control of the address that it was sent to.
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

    /// Adds an error to the form if the schema requires a verified phone number, but the number was verified
    /// neither in this flow nor with the code.
    private static func checkPhone(
        of traits: Traits,
        in flow: Flow,
        schema: IdentitySchema,
        provenByCode addresses: [ContactAddress] = [],
        into form: inout Form
    ) {
        guard let name = schema.policy.verifiedPhone else { return }
        if let phone = traits.phoneToVerify, addresses.contains(where: { $0.value == phone.e164 }) { return }
        guard let verified = flow.verifiedPhone else {
            form.refuse("traits." + name, with: .phoneNotVerified)
            return
        }
        if traits.phoneToVerify?.e164 != verified { form.refuse("traits." + name, with: .otherPhoneVerified) }
    }
}

extension Flow {
    /// The address whose code the flow is waiting for, or `nil` if there is none.
    fileprivate var awaitedAddress: ContactAddress? { address.flatMap { ContactAddress($0) } }
}

extension Submission {
    /// Returns the submitted traits, or the traits from an earlier step if none were submitted.
    fileprivate func traits(in flow: Flow) -> OrderedJSON? {
        if let traits = body["traits"], traits != .null { return traits }
        return flow.traits.flatMap { try? JSONParser.parse($0, from: .storage) }
    }
}
