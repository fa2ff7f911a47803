import LatchkeyWire

/// A response with its body read.
struct Answer: Sendable {
    let response: HTTPResponse
    let body: JSONValue

    init(_ response: HTTPResponse) {
        self.response = response
        body = (try? JSONCoding.decode(JSONValue.self, from: response.body)) ?? .null
    }

    var status: Int { response.status }

    subscript(name: String) -> JSONValue? { body[name] }

    /// The id of the error envelope.
    var errorID: String? { body["error"]?["id"]?.text }

    /// The numbers of the messages about the whole form.
    var messages: [Int] { Self.numbers(body["ui"]?["messages"]) }

    /// The numbers of the messages beside a field.
    func messages(_ field: String) -> [Int] { Self.numbers(node(field)?["messages"]) }

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

    private static func numbers(_ messages: JSONValue?) -> [Int] {
        guard case .array(let messages)? = messages else { return [] }
        return messages.compactMap { message in
            if case .integer(let number)? = message["id"] { Int(number) } else { nil }
        }
    }
}
