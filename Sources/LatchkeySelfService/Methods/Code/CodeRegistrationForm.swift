import LatchkeyAccounts
import LatchkeyModel
import LatchkeyWire

/// The traits of a registration, and then the code that was sent to one of their addresses.
struct CodeRegistrationForm: MethodForm {
    enum Input: Sendable {
        /// Sends a code to one of the addresses in the traits.
        case send(Traits, ContactAddress, Form)

        /// Checks a code. The traits were submitted when the code was requested.
        ///
        /// The code is `nil` if the submitted text can't be a code, which isn't a guess.
        case check(OneTimeCode?, Traits, [FlowAnswer], Form)

        /// Creates the account with the fields that were missing when the code was entered.
        case complete(Traits, [FlowAnswer], Form)
    }

    let name = CodeMethod.name
    let fields = ["code", "resend"]
    let settings: FormSettings

    func isOffered(in context: FormContext) -> Bool { settings.offersCodes(by: context.schema) }

    func nodes(in context: FormContext) -> [UINode] {
        if context.flow.awaitsFields {
            return (context.flow.terms?.nodes(group: name) ?? []) + [CodeNodes.ask(UIMessage.Label.proceed)]
        }
        return context.flow.state == .sentEmail
            ? CodeNodes.enter(UIMessage.Label.registrationCode, resend: "resend", value: "code")
            : [CodeNodes.ask(UIMessage.Label.sendSignUpCode)]
    }

    /// Parses a submission.
    ///
    /// If the flow is waiting for a code and the user doesn't ask for another one, the code is checked.
    /// Otherwise, a code is sent to the first address in the traits that can receive codes.
    ///
    /// Fields that only the client requires may be missing until the code was entered. An existing account is
    /// entered without them.
    func parse(_ submission: Submission, in context: FormContext) -> FlowInput<Input> {
        var form = Form()
        let (flow, schema) = (context.flow, context.schema)
        guard let traits = submission.registeredTraits(in: context, settings: settings, into: &form) else {
            return .refused(form)
        }
        // After the first code, the flow may ask for codes to addresses that other accounts claim.
        let awaited = flow.provenAddresses.isEmpty || traits.json != flow.traits ? nil : flow.awaitedAddress
        guard let address = awaited ?? schema.codeAddresses(in: traits).first else {
            return .refused(form.with(.noCodeAddress))
        }
        form.checkPhone(of: traits, in: context, provenByCode: [address] + flow.provenAddresses)
        form.checkSize(of: traits)
        guard form.isValid else { return .refused(form) }
        if flow.state == .sentEmail, !submission.asksForAnotherCode {
            // The code only proves control of the address that it was sent to.
            guard traits.json == flow.traits else { return .refused(form.with(.traitsChanged)) }
            guard let code = submission.text("code", into: &form) else { return .refused(form) }
            // An app may send the answers together with the code. They are asked for after the code.
            var ignored = Form()
            let answers =
                flow.terms?.answers(in: submission, shown: .signUp, into: &ignored) ?? []
            return .valid(.check(OneTimeCode(code), traits, answers, form))
        }
        let isComplete = flow.awaitsFields && flow.provenAddresses.contains(address)
        form.check(traits, by: flow.fields, allowsMissing: !isComplete)
        let answers =
            isComplete ? flow.terms?.answers(in: submission, shown: .signUp, into: &form) ?? [] : []
        guard form.isValid else { return .refused(form) }
        if isComplete { return .valid(.complete(traits, answers, form)) }
        return .valid(.send(traits, address, form))
    }
}

extension Flow {
    /// Whether the registration waits for documents and for the fields that its client requires, after the user has entered the
    /// right code.
    var awaitsFields: Bool {
        kind == .registration && (fields != nil || terms != nil) && state == .chooseMethod
            && active == CodeMethod.name
            && !provenAddresses.isEmpty
    }

    /// The address whose code the flow is waiting for, or `nil` if there is none.
    fileprivate var awaitedAddress: ContactAddress? { address.flatMap { ContactAddress($0) } }
}
