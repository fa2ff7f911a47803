import LatchkeyAccounts
package import LatchkeyWire

/// The values and messages of a flow's form.
///
/// Nodes aren't part of this type, because they are derived from the flow and its schema when the form is
/// encoded (``MethodForms``).
package struct Form: Hashable, Sendable {
    /// A message about a single field.
    package struct FieldMessage: Hashable, Sendable {
        /// The name of the node, such as `password` or `traits.email`.
        package let field: String
        /// The message, which is in English until it is encoded.
        package let message: UIMessage
    }

    /// The values to show, keyed by field name.
    ///
    /// Passwords are never shown.
    ///
    /// Field names are the names of the nodes, such as `identifier` or `traits.email`.
    package var values: [String: JSONValue] = [:]

    /// The messages that don't belong to a single field.
    package var messages: [UIMessage] = []

    /// The messages about individual fields, in insertion order.
    package private(set) var fieldMessages: [FieldMessage] = []

    /// Creates a form that has no messages about individual fields.
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
    /// If there is no node for the field, one is added when the form is encoded, so that the message is
    /// always shown.
    package mutating func refuse(_ field: String, with message: UIMessage) {
        fieldMessages.append(FieldMessage(field: field, message: message))
    }

    /// Creates a form that shows an identity's current traits and no messages.
    ///
    /// Values that the schema no longer accepts are shown too, so that the user can correct them.
    static func showing(_ identity: IdentityRecord, by schema: IdentitySchema) -> Form {
        var shown = Form()
        _ = TraitValidator.read(identity.traits, schema: schema, into: &shown)
        return Form(values: shown.values)
    }

    /// Returns a form with the messages of this form and the values of another form.
    ///
    /// When a submission without traits is rejected, this method is used to show the current traits again.
    func over(_ other: Form) -> Form {
        var form = self
        form.values = other.values
        return form
    }

    /// Returns a copy with an additional message that doesn't belong to a single field.
    package func with(_ message: UIMessage) -> Form {
        var form = self
        form.messages.append(message)
        return form
    }
}
