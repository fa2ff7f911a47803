import LatchkeyAccounts
import LatchkeyModel
import LatchkeyWire

extension FormContext {
    /// Returns the field for the identifier of a login.
    ///
    /// If the schema has exactly one identifier and it has a title, the label is that title.
    func identifierNode(type: String, value: JSONValue? = nil) -> UINode {
        UINode(
            group: "default",
            attributes: .init(
                name: "identifier",
                type: type,
                value: value ?? form.values["identifier"] ?? .string(""),
                required: true
            ),
            label: identifierLabel
        )
    }

    private var identifierLabel: UIMessage {
        let identifiers = schema.fields.filter(\.schema.isIdentifier)
        guard identifiers.count == 1, let field = identifiers.first, let title = field.schema.title else {
            return UIMessage.Label.identifier
        }
        return UIMessage.Label.trait(field.name, title: title)
    }
}

extension Submission {
    /// Returns the submitted identifier of a login.
    ///
    /// If the identifier is missing or too long, or if it must be an address and is a malformed phone number,
    /// adds an error to the field and returns `nil`.
    func identifier(isAddress: Bool, into form: inout Form) -> String? {
        guard let text = text("identifier", into: &form) else { return nil }
        guard text.utf8.count <= LoginIdentifier.byteLimit else {
            form.refuse("identifier", with: .tooLong(text.utf8.count, maximum: LoginIdentifier.byteLimit))
            return nil
        }
        if isAddress, PhoneNumber.resembles(text), ContactAddress(LoginIdentifier.normalize(text)) == nil {
            form.values["identifier"] = .string(text)
            form.refuse("identifier", with: .invalidPhone(text))
            return nil
        }
        return text
    }
}
