import LatchkeyWire

/// A response with its parsed body.
struct Answer: Sendable {
    let response: HTTP.Response
    let body: JSONValue

    init(_ response: HTTP.Response) {
        self.response = response
        body = (try? JSONCoding.decode(JSONValue.self, from: response.body)) ?? .null
    }

    var status: Int { response.status }

    subscript(name: String) -> JSONValue? { body[name] }

    /// The id in the error envelope.
    var errorID: ErrorID? { body["error"]?["id"]?.text.map(ErrorID.init(rawValue:)) }

    /// The session token from a registration, login or recovery, or `nil` if no session was opened.
    var sessionToken: String? {
        if let token = self["session_token"]?.text { return token }
        return self["continue_with"]?.elements.compactMap { $0["ory_session_token"]?.text }.first
    }

    /// The ids of the form-level messages.
    var messages: [MessageID] { Self.messageIDs(body["ui"]?["messages"]) }

    /// Returns the ids of a field's messages.
    func messages(_ field: String) -> [MessageID] { Self.messageIDs(node(field)?["messages"]) }

    /// Returns the id of a field's label.
    func label(_ field: String) -> MessageID? { node(field)?["meta"]?["label"]?.messageID }

    /// Returns the current value of a field.
    func value(_ field: String) -> JSONValue? { node(field)?["attributes"]?["value"] }

    /// The field names, in order.
    var fields: [String] { nodes.compactMap { $0["attributes"]?["name"]?.text } }

    func node(_ field: String) -> JSONValue? {
        nodes.first { $0["attributes"]?["name"]?.text == field }
    }

    private var nodes: [JSONValue] {
        if case .array(let nodes)? = body["ui"]?["nodes"] { nodes } else { [] }
    }

    private static func messageIDs(_ messages: JSONValue?) -> [MessageID] {
        guard case .array(let messages)? = messages else { return [] }
        return messages.compactMap(\.messageID)
    }
}

extension JSONValue {
    /// The id of this message or label.
    var messageID: MessageID? {
        if case .integer(let number)? = self["id"] { MessageID(rawValue: Int(number)) } else { nil }
    }
}
