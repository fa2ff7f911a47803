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
        let (flow, terms) = (context.flow, context.flow.terms)
        let traits = ProfileNodes.traits(
            of: context.schema,
            group: "profile",
            form: context.form,
            rules: flow.fields
        )
        return traits.filter { node in flow.dutyFields.map { $0.contains(node.name ?? "") } ?? true }
            + (terms?.nodes(group: "profile") ?? []) + [ProfileNodes.submit(UIMessage.Label.save)]
            + (terms?.canBeDeclined == true ? [FlowTerms.decline] : [])
    }

    func parse(_ submission: Submission, in context: FormContext) -> FlowInput<Input> {
        var form = Form()
        let flow = context.flow
        let shown: TermsAnswer.Surface = flow.type == .browser ? .hostedPage : .ownScreen
        if submission.optionalText(FlowTerms.declineField) != nil, let terms = flow.terms {
            let refusals = terms.refusals(in: submission, shown: shown, into: &form)
            return form.isValid ? .valid(.decline(refusals)) : .refused(form)
        }
        let answers =
            flow.terms?.answers(in: submission, shown: shown, into: &form) { item in
                flow.dutyFields != nil && (item.isBlocking || flow.authorization != nil)
            } ?? []
        let submitted = submittedTraits(submission, in: context)
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

    /// Returns the submitted traits and, while the form asks only for some fields, the current values of the others.
    private func submittedTraits(_ submission: Submission, in context: FormContext) -> OrderedJSON? {
        let submitted = submission.body["traits"]
        guard context.flow.dutyFields != nil, let submitted else { return submitted }
        return context.traits?.merging(submitted) ?? submitted
    }
}

extension OrderedJSON {
    /// Returns an object with the members of another one, which replace those with the same names.
    fileprivate func merging(_ other: OrderedJSON) -> OrderedJSON {
        guard case .object(let own) = self, case .object(let new) = other else { return other }
        let names = Set(new.map { Array($0.name.utf8) })
        let old = Dictionary(own.map { (Array($0.name.utf8), $0.value) }) { first, _ in first }
        let merged = new.map { member in
            let value = old[Array(member.name.utf8)]?.merging(member.value) ?? member.value
            return Member(name: member.name, value: value)
        }
        return .object(own.filter { !names.contains(Array($0.name.utf8)) } + merged)
    }
}
