import LatchkeyAccounts
import LatchkeyServerKit
import LatchkeyWire

/// The first of two steps of a registration, which asks for the traits.
struct ProfileRegistrationForm: MethodForm {
    enum Input: Sendable {
        /// Continues with the choice of a credential.
        case next(Traits, Form)

        /// Goes back to the first step. The form contains the traits so that they can be shown again.
        case back(Form)
    }

    let name = ProfileMethod.name
    let fields = ["screen"]
    let settings: FormSettings

    func isOffered(in context: FormContext) -> Bool { settings.registrationStyle == .profileFirst }

    func nodes(in context: FormContext) -> [UINode] {
        [ProfileNodes.submit(UIMessage.Label.signUp)]
    }

    func parse(_ submission: Submission, in context: FormContext) -> FlowInput<Input> {
        var form = Form()
        guard !submission.goesBack else {
            _ = TraitValidator.read(submission.traits(in: context.flow), schema: context.schema, into: &form)
            return .valid(.back(Form(values: form.values)))
        }
        let traits = TraitValidator.read(
            submission.body["traits"],
            schema: context.schema,
            mailboxes: settings.mailboxes(),
            into: &form
        )
        form.checkSize(of: traits)
        if let traits { form.check(traits, by: context.flow.fields) }
        guard let traits, form.isValid else { return .refused(form) }
        return .valid(.next(traits, form))
    }
}

extension Submission {
    /// Whether the user goes back to the first step of a registration.
    var goesBack: Bool { optionalText("screen") == "previous" }
}
