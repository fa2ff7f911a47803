import LatchkeyAccounts
import LatchkeyServerKit
import LatchkeyWire

/// The traits of an account, and the documents that its user still has to answer.
struct ProfileChangeForm: MethodForm {
    enum Input: Sendable {
        /// Changes the traits, unless they are `nil`, and answers documents.
        case change(Traits?, [FlowAnswer], Form)
        /// Refuses the documents, which ends the session.
        case decline([FlowAnswer])
    }

    let name = ProfileMethod.name
    let fields = [FlowTerms.declineField]
    let settings: FormSettings

    func nodes(in context: FormContext) -> [UINode] {
        ProfileNodes.traits(
            of: context.schema,
            group: "profile",
            only: context.flow.dutyFields,
            form: context.form,
            rules: context.flow.fields
        ) + (context.flow.terms?.nodes(group: "profile") ?? []) + [ProfileNodes.submit(UIMessage.Label.save)]
            + (context.flow.terms?.canBeDeclined == true ? [FlowTerms.decline] : [])
    }

    func parse(_ submission: Submission, in context: FormContext) -> FlowInput<Input> {
        var form = Form()
        let shown: TermsAnswer.Surface = context.flow.type == .browser ? .hostedPage : .ownScreen
        if submission.optionalText(FlowTerms.declineField) != nil, let terms = context.flow.terms {
            return .valid(.decline(terms.refusals(shown: shown)))
        }
        let submitted = submission.body["traits"]
        let answers =
            context.flow.terms?.answers(
                in: submission,
                shown: shown,
                areRequired: context.flow.dutyFields != nil,
                into: &form
            ) ?? []
        if submitted == nil || submitted == .null, !answers.isEmpty, form.isValid {
            return .valid(.change(nil, answers, form))
        }
        let traits = TraitValidator.read(
            submitted,
            schema: context.schema,
            optional: context.waived,
            mailboxes: settings.mailboxes(keeping: context.form.values),
            into: &form
        )
        if traits != nil, submitted == nil || submitted == .null { form.messages.append(.nothingToChange) }
        guard let traits, form.isValid else { return .refused(form) }
        return .valid(.change(traits, answers, form))
    }
}
