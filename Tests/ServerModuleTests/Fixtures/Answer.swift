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

    /// The session token of a registration, a login or a recovery; `nil` if no session was opened.
    var sessionToken: String? {
        if let token = self["session_token"]?.text { return token }
        return self["continue_with"]?.elements.compactMap { $0["ory_session_token"]?.text }.first
    }

    /// The ids of the messages about the whole form.
    var messages: [MessageID] { Self.messageIDs(body["ui"]?["messages"]) }

    /// The ids of the messages about a field.
    func messages(_ field: String) -> [MessageID] { Self.messageIDs(node(field)?["messages"]) }

    /// The id of the label of a field.
    func label(_ field: String) -> MessageID? { node(field)?["meta"]?["label"]?.messageID }

    /// The value that a field shows.
    func value(_ field: String) -> JSONValue? { node(field)?["attributes"]?["value"] }

    /// The names of the fields in order.
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
    /// The id of a message or of a label.
    var messageID: MessageID? {
        if case .integer(let number)? = self["id"] { MessageID(rawValue: Int(number)) } else { nil }
    }
}
