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

    /// Returns the submitted traits or, while the form asks only for some fields, the current traits with these fields.
    private func submittedTraits(_ submission: Submission, in context: FormContext) -> OrderedJSON? {
        let submitted = submission.body["traits"]
        guard let fields = context.flow.dutyFields, submission.body["traits"] != nil else { return submitted }
        let asked = context.schema.fields.filter { fields.contains($0.name) }
        guard !asked.isEmpty else { return nil }
        return asked.reduce(context.traits ?? .object([])) { traits, field in
            let value = field.path.reduce(submitted) { value, name in value?[name] }
            return traits.replacing(value, at: field.path[...])
        }
    }
}

extension OrderedJSON {
    /// Returns the object with the value at a path replaced, or removed if it is `nil`.
    fileprivate func replacing(_ value: OrderedJSON?, at path: ArraySlice<String>) -> OrderedJSON {
        guard let name = path.first else { return value ?? .null }
        var members: [Member] = []
        if case .object(let own) = self { members = own }
        let old = members.first { $0.name.hasSameBytes(as: name) }?.value ?? .object([])
        members.removeAll { $0.name.hasSameBytes(as: name) }
        let isRemoved = path.count == 1 && value == nil
        if !isRemoved {
            members.append(Member(name: name, value: old.replacing(value, at: path.dropFirst())))
        }
        return .object(members)
    }
}
