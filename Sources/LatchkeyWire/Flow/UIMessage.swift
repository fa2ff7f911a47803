/// A message to the person, on a flow or on one of its nodes.
package struct UIMessage: Hashable, Sendable, Codable {
    package enum Kind: String, Sendable, Codable {
        case info, error, success
    }

    package var id: MessageID
    package var text: String
    package var type: Kind
    package var context: [String: JSONValue]?

    package init(id: MessageID, text: String, type: Kind, context: [String: JSONValue]? = nil) {
        self.id = id
        self.text = text
        self.type = type
        self.context = context
    }
}
