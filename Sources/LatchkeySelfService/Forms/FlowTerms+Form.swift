import LatchkeyModel
import LatchkeyServerKit
import LatchkeyWire

extension FlowTerms {
    /// Returns the fields for the documents: the text, which is hidden, and a checkbox for each of them.
    func nodes(group: String) -> [UINode] {
        items.flatMap { item in
            [
                UINode(
                    group: group,
                    attributes: .init(
                        name: item.textField,
                        type: "hidden",
                        value: .string(item.reference(to: item.text)),
                        required: true
                    )
                ),
                UINode(
                    group: group,
                    attributes: .init(name: item.acceptedField, type: "checkbox", required: true),
                    label: UIMessage.Label.document(
                        item.acceptedField,
                        title: item.document.title(in: item.text.language),
                        url: item.url,
                        isAccepted: item.asks == .acceptance
                    )
                ),
            ]
        }
    }

    /// A button that refuses the documents and logs the user out.
    static let decline = UINode(
        group: "profile",
        attributes: .init(name: declineField, type: "submit", value: .string("true")),
        label: UIMessage.Label.decline
    )

    static let declineField = "decline_terms"

    /// Reads the answers in a submission.
    ///
    /// - Parameters:
    ///   - submission: The submission.
    ///   - shown: The place at which the user has read the texts.
    ///   - form: The form that messages are added to.
    ///   - isRequired: Returns whether a document without an answer gets a message.
    /// - Returns: The answers, which are complete if the form is valid and they are required.
    func answers(
        in submission: Submission,
        shown: TermsAnswer.Surface,
        into form: inout Form,
        isRequired: (Item) -> Bool = { _ in true }
    ) -> [FlowAnswer] {
        items.compactMap { item in
            guard submission.isChecked(item.acceptedField) else {
                if isRequired(item) { form.refuse(item.acceptedField, with: .documentNotAccepted) }
                return nil
            }
            guard let text = item.text(named: submission) else {
                form.refuse(item.acceptedField, with: .documentChanged)
                return nil
            }
            return item.answer(
                item.asks == .acceptance ? .acceptance : .acknowledgement,
                to: text,
                shown: shown
            )
        }
    }

    /// Whether the user can refuse any of the documents.
    var canBeDeclined: Bool { items.contains { $0.asks == .acceptance } }

    /// Reads the refusals of the documents that the user has seen.
    ///
    /// - Returns: The refusals, of which there is at least one if the form is valid.
    func refusals(
        in submission: Submission,
        shown: TermsAnswer.Surface,
        into form: inout Form
    ) -> [FlowAnswer] {
        let items = items.filter { $0.asks == .acceptance }
        let refusals = items.compactMap { item in
            item.text(named: submission).map { item.answer(.refusal, to: $0, shown: shown) }
        }
        if refusals.isEmpty {
            for item in items { form.refuse(item.acceptedField, with: .documentChanged) }
        }
        return refusals
    }
}

extension FlowTerms.Item {
    /// Returns the text that a submission identifies, or `nil` if it isn't one of the version.
    fileprivate func text(named submission: Submission) -> TermsText? {
        let reference = submission.dotted(textField)
        return version.texts.first { reference == .string(self.reference(to: $0)) }
    }

    fileprivate func answer(
        _ kind: TermsAnswer.Kind,
        to text: TermsText,
        shown: TermsAnswer.Surface
    ) -> FlowAnswer {
        FlowAnswer(
            document: document,
            answer: TermsAnswer(
                document: document.key,
                version: version.number,
                language: text.language,
                hash: text.hash,
                kind: kind,
                shown: shown
            )
        )
    }
}

extension Submission {
    /// Returns the value of a field, which is a member with the field's name, or a member of nested objects.
    fileprivate func dotted(_ field: String) -> OrderedJSON? {
        if let value = body[field] { return value }
        return field.split(separator: ".").reduce(body as OrderedJSON?) { value, name in value?[String(name)]
        }
    }

    /// Returns whether a checkbox is ticked.
    fileprivate func isChecked(_ field: String) -> Bool {
        switch dotted(field) {
        case .bool(let isChecked): isChecked
        case .string(let text): ["true", "on"].contains(text)
        default: false
        }
    }
}
