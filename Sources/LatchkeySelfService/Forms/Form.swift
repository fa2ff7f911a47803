import LatchkeyAccounts
package import LatchkeyWire

/// The variable part of a flow's form: its values, and the messages about them.
package struct Form: Hashable, Sendable {
    /// A message about a field.
    package struct FieldMessage: Hashable, Sendable {
        package let field: String
        package let message: UIMessage
    }

    /// The values to show, by the names of their fields; never a password.
    package var values: [String: JSONValue] = [:]

    /// The messages about the whole form.
    package var messages: [UIMessage] = []

    /// The messages about single fields, in the order in which they were added.
    package private(set) var fieldMessages: [FieldMessage] = []

    package init(values: [String: JSONValue] = [:], messages: [UIMessage] = []) {
        self.values = values
        self.messages = messages
    }

    /// Whether the form has no messages of any kind.
    package var isValid: Bool {
        messages.isEmpty && fieldMessages.isEmpty
    }

    /// Adds a message to a field, which makes the form invalid.
    package mutating func refuse(_ field: String, with message: UIMessage) {
        fieldMessages.append(FieldMessage(field: field, message: message))
    }

    /// Creates a form that shows the current traits of an identity, without messages.
    static func showing(_ identity: IdentityRecord, by schema: IdentitySchema) -> Form {
        var shown = Form()
        _ = TraitValidator.read(identity.traits, schema: schema, into: &shown)
        return Form(values: shown.values)
    }

    /// Returns the messages of this form with the values of another one.
    func over(_ other: Form) -> Form {
        var form = self
        form.values = other.values
        return form
    }

    /// Returns a copy with another message about the whole form.
    package func with(_ message: UIMessage) -> Form {
        var form = self
        form.messages.append(message)
        return form
    }
}
