public import LatchkeyWire

/// A part of a flow's form: an input, a button, a link, a text or an image, with its label and messages.
public struct FlowNode: Hashable, Sendable {
    /// The group of a node, which is the name of the method that it belongs to.
    public struct Group: RawRepresentable, Hashable, Sendable {
        /// The name of the group, as sent by the server.
        public let rawValue: String

        /// Creates a group with a name.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// Nodes that all methods share.
        public static let common = Group(rawValue: "default")
        /// Nodes of the method `password`.
        public static let password = Group(rawValue: "password")
        /// Nodes of the method `code`.
        public static let code = Group(rawValue: "code")
        /// Nodes of the method `profile`, such as the traits of a settings flow.
        public static let profile = Group(rawValue: "profile")
    }

    /// The attributes of a node, according to its type.
    public enum Attributes: Hashable, Sendable {
        /// An input or a button.
        case input(FlowInput)
        /// A link; its address may use any scheme, so check it before you open it.
        case link(id: String, address: String, title: FlowMessage?)
        /// A text to show.
        case text(id: String, FlowMessage)
        /// An image; its size is in pixels if the server sent it.
        case image(id: String, address: String, width: Int?, height: Int?)
        /// The attributes of a node of another type, or of a malformed node, as sent by the server.
        ///
        /// Do not show such a node; a script must not be executed.
        case unknown(JSONValue)
    }

    /// The type of the node as sent by the server, such as `input`, `a`, `img` or `text`.
    public var type: String

    /// The group of the node.
    public var group: Group

    /// The attributes.
    public var attributes: Attributes

    /// The label of an input or a button; `nil` for most hidden inputs.
    public var label: FlowMessage?

    /// The messages about this node, such as errors in its value.
    public var messages: [FlowMessage]

    /// Creates a node.
    public init(
        type: String = "input",
        group: Group,
        attributes: Attributes,
        label: FlowMessage? = nil,
        messages: [FlowMessage] = []
    ) {
        self.type = type
        self.group = group
        self.attributes = attributes
        self.label = label
        self.messages = messages
    }

    /// The attributes of an input or a button; `nil` for other nodes.
    public var input: FlowInput? {
        if case .input(let input) = attributes { input } else { nil }
    }

    /// The name of an input or a button; `nil` for other nodes.
    public var name: String? { input?.name }
}

extension FlowNode {
    /// Decodes a node; a node of an unknown type has unknown attributes.
    init(decoding json: JSONValue) {
        let attributes = json["attributes"] ?? .null
        let type = json["type"]?.text ?? attributes["node_type"]?.text ?? ""
        let decoded = Attributes(decoding: attributes, of: type)
        var messages = FlowMessage.messages(decoding: json["messages"])
        if case .unknown = decoded { messages = [] }
        self.init(
            type: type,
            group: Group(rawValue: json["group"]?.text ?? "default"),
            attributes: decoded,
            label: FlowMessage(decoding: json["meta"]?["label"]),
            messages: messages
        )
    }
}

extension FlowNode.Attributes {
    /// Decodes the attributes of a node; attributes that lack a required member become unknown.
    fileprivate init(decoding json: JSONValue, of type: String) {
        let id = json["id"]?.text ?? ""
        switch type {
        case "input":
            self = FlowInput(decoding: json).map { .input($0) } ?? .unknown(json)
        case "a":
            guard let address = json["href"]?.text else {
                self = .unknown(json)
                return
            }
            self = .link(id: id, address: address, title: FlowMessage(decoding: json["title"]))
        case "text":
            self = FlowMessage(decoding: json["text"]).map { .text(id: id, $0) } ?? .unknown(json)
        case "img":
            guard let address = json["src"]?.text else {
                self = .unknown(json)
                return
            }
            let (width, height) = (json["width"]?.integer, json["height"]?.integer)
            self = .image(id: id, address: address, width: width, height: height)
        default:
            self = .unknown(json)
        }
    }
}
