/// A message that is shown to the user.
///
/// A message belongs either to a whole flow or to one of the flow's nodes.
package struct UIMessage: Hashable, Sendable, Codable {
    /// The severity of a message.
    package enum Kind: String, Sendable, Codable {
        case info, error, success
    }

    package var id: MessageID
    /// The text to show to the user.
    ///
    /// To identify a message, use its ID rather than its text.
    package var text: String
    /// The severity, which determines how clients display the message.
    package var type: Kind
    /// The values that appear in the text, or `nil` if there are none.
    ///
    /// The names of the values are the same as in Kratos, such as `min_length` or `expired_at`.
    package var context: [String: JSONValue]?

    /// Creates a message.
    ///
    /// If the text contains variable parts, pass their values as `context`.
    package init(id: MessageID, text: String, type: Kind, context: [String: JSONValue]? = nil) {
        self.id = id
        self.text = text
        self.type = type
        self.context = context
    }
}
