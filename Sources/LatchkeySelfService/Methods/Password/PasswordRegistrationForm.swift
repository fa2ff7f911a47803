import LatchkeyAccounts
import LatchkeyModel
import LatchkeyWire

/// The traits and the password of a registration, and a code if the flow has sent one to an address that
/// another account claims.
struct PasswordRegistrationForm: MethodForm {
    struct Input: Sendable {
        let traits: Traits
        let password: Secret
        let guess: Guess?
        let answers: [FlowAnswer]
        /// The traits, so that they can be shown again.
        let form: Form
    }

    /// A submitted code.
    ///
    /// The code is `nil` if the text can't be a code, which doesn't count as a guess.
    struct Guess: Hashable, Sendable {
        let code: OneTimeCode?
    }

    let name = PasswordMethod.name
    let fields = ["password", "code"]
    let settings: FormSettings

    func isOffered(in context: FormContext) -> Bool { settings.isPasswordEnabled }

    func nodes(in context: FormContext) -> [UINode] {
        (context.flow.terms?.nodes(group: name) ?? [])
            + (context.flow.awaitsProof ? PasswordNodes.registrationWithCode : PasswordNodes.registration)
    }

    /// Parses a submission.
    ///
    /// The submission is rejected if the traits are invalid, if they contain no identifier, if the password
    /// violates the policy, or if the schema requires a verified phone number and the flow hasn't verified
    /// the one in the traits.
    func parse(_ submission: Submission, in context: FormContext) -> FlowInput<Input> {
        var form = Form()
        let (flow, schema) = (context.flow, context.schema)
        let traits = submission.registeredTraits(in: context, settings: settings, into: &form)
        let password = submission.text("password", into: &form)
        guard let traits, let password else { return .refused(form) }
        form.check(traits, by: flow.fields)
        let answers = flow.terms?.answers(in: submission, shown: .signUp, into: &form) ?? []
        form.checkPhone(of: traits, in: context, provenByCode: flow.provenAddresses)
        if traits.identifiers.isEmpty, let field = schema.fields.first(where: \.schema.isIdentifier) {
            form.refuse(field.name, with: .missing(field.path.last ?? field.name))
        }
        let policy = PasswordPolicy(schema.policy, maximumLength: settings.maximumPasswordLength)
        if let refusal = policy.refusal(of: Secret(password), identifiers: traits.identifiers) {
            form.refuse("password", with: UIMessage(refusal))
        }
        if settings.registrationStyle == .profileFirst { form.checkSize(of: traits) }
        let guess = submission.optionalText("code").map { Guess(code: OneTimeCode($0)) }
        guard form.isValid else { return .refused(form) }
        return .valid(
            Input(
                traits: traits,
                password: Secret(password),
                guess: guess,
                answers: answers,
                form: form
            )
        )
    }
}
