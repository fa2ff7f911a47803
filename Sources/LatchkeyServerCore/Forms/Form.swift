package import LatchkeyWire

/// What a submit leaves in a flow's form: the values to show again, and what is wrong with them.
package struct Form: Hashable, Sendable {
    /// A message beside a field.
    package struct FieldMessage: Hashable, Sendable {
        package let field: String
        package let message: UIMessage
    }

    /// The values by field; never a password.
    package var values: [String: JSONValue] = [:]

    /// What concerns the form as a whole.
    package var messages: [UIMessage] = []

    /// What concerns single fields, in the order in which it was found.
    package private(set) var fieldMessages: [FieldMessage] = []

    package init(values: [String: JSONValue] = [:], messages: [UIMessage] = []) {
        self.values = values
        self.messages = messages
    }

    /// Whether nothing is wrong.
    package var isValid: Bool {
        messages.isEmpty && fieldMessages.isEmpty
    }

    /// Says what is wrong with a field.
    package mutating func refuse(_ field: String, _ message: UIMessage) {
        fieldMessages.append(FieldMessage(field: field, message: message))
    }

    /// A form that shows the traits of an identity as they are.
    static func showing(_ identity: IdentityRecord, _ schema: IdentitySchema) -> Form {
        var shown = Form()
        _ = TraitReader.read(identity.traits, schema, into: &shown)
        return Form(values: shown.values)
    }

    /// The same messages beside the values of another form.
    func over(_ other: Form) -> Form {
        var form = self
        form.values = other.values
        return form
    }

    /// The same form with a message about the whole.
    package func with(_ message: UIMessage) -> Form {
        var form = self
        form.messages.append(message)
        return form
    }
}
