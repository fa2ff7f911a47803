import LatchkeyAccounts
package import LatchkeyWire

/// The variable part of a flow's form: its values and messages.
///
/// The nodes are derived from the flow and its schema when the form is encoded (``FormNodes``).
package struct Form: Hashable, Sendable {
    /// A message about a field.
    package struct FieldMessage: Hashable, Sendable {
        /// The name of the node, such as `password` or `traits.email`.
        package let field: String
        /// The message, in English until it is encoded.
        package let message: UIMessage
    }

    /// The values to show in the fields, keyed by field name; passwords are never shown.
    ///
    /// Field names are the names of the nodes, such as `identifier` or `traits.email`.
    package var values: [String: JSONValue] = [:]

    /// The messages about the whole form.
    package var messages: [UIMessage] = []

    /// The messages about single fields, in the order in which they were added.
    package private(set) var fieldMessages: [FieldMessage] = []

    /// Creates a form without messages about fields.
    package init(values: [String: JSONValue] = [:], messages: [UIMessage] = []) {
        self.values = values
        self.messages = messages
    }

    /// Whether the form has no messages.
    package var isValid: Bool {
        messages.isEmpty && fieldMessages.isEmpty
    }

    /// Adds a message to a field, which makes the form invalid.
    ///
    /// If the field has no node, the encoder adds one, so that the message is always shown.
    package mutating func refuse(_ field: String, with message: UIMessage) {
        fieldMessages.append(FieldMessage(field: field, message: message))
    }

    /// Creates a form that shows the current traits of an identity, without messages.
    ///
    /// Values that the schema no longer accepts are also shown, so the user can correct them.
    static func showing(_ identity: IdentityRecord, by schema: IdentitySchema) -> Form {
        var shown = Form()
        _ = TraitValidator.read(identity.traits, schema: schema, into: &shown)
        return Form(values: shown.values)
    }

    /// Returns a form with this form's messages and another form's values.
    ///
    /// A rejected submission without traits is shown over the current traits.
    func over(_ other: Form) -> Form {
        var form = self
        form.values = other.values
        return form
    }

    /// Returns a copy with an additional message about the whole form.
    package func with(_ message: UIMessage) -> Form {
        var form = self
        form.messages.append(message)
        return form
    }
}
