import LatchkeyAccounts
import LatchkeyServerKit
import LatchkeyWire

/// The traits of an account.
struct ProfileChangeForm: MethodForm {
    struct Input: Sendable {
        let traits: Traits
        let form: Form
    }

    let name = ProfileMethod.name
    let fields: [String] = []
    let settings: FormSettings

    func nodes(in context: FormContext) -> [UINode] {
        ProfileNodes.traits(
            of: context.schema,
            group: "profile",
            only: context.flow.dutyFields,
            form: context.form,
            rules: context.flow.fields
        ) + [ProfileNodes.submit(UIMessage.Label.save)]
    }

    func parse(_ submission: Submission, in context: FormContext) -> FlowInput<Input> {
        var form = Form()
        let submitted = submission.body["traits"]
        let traits = TraitValidator.read(
            submitted,
            schema: context.schema,
            optional: context.waived,
            mailboxes: settings.mailboxes(keeping: context.form.values),
            into: &form
        )
        if traits != nil, submitted == nil || submitted == .null { form.messages.append(.nothingToChange) }
        guard let traits, form.isValid else { return .refused(form) }
        return .valid(Input(traits: traits, form: form))
    }
}
