/// A message for the user, attached to a flow or to one of its nodes.
package struct UIMessage: Hashable, Sendable, Codable {
    /// The severity of a message.
    package enum Kind: String, Sendable, Codable {
        case info, error, success
    }

    package var id: MessageID
    /// The text for the user; identify messages by their ID, not by their text.
    package var text: String
    /// The severity, which determines how clients display the message.
    package var type: Kind
    /// The values that appear in the text, keyed by name.
    ///
    /// The names are those that Kratos uses, such as `min_length` or `expired_at`. `nil` if the text contains
    /// no values.
    package var context: [String: JSONValue]?

    /// Creates a message; `context` is `nil` if no values appear in the text.
    package init(id: MessageID, text: String, type: Kind, context: [String: JSONValue]? = nil) {
        self.id = id
        self.text = text
        self.type = type
        self.context = context
    }
}
