import LatchkeyModel
public import LatchkeyWire

/// An element of a flow's form, such as an input, a button, a link, a text or an image.
public struct FlowNode: Hashable, Sendable {
    /// The group that a node belongs to, which is usually named after a method.
    public struct Group: RawRepresentable, Hashable, Sendable {
        /// The server's name for the group.
        public let rawValue: String

        /// Creates a group from the server's name for it.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// The group of nodes that all methods use.
        public static let common = Group(rawValue: "default")
        /// The group of nodes of the `password` method.
        public static let password = Group(rawValue: "password")
        /// The group of nodes of the `code` method.
        public static let code = Group(rawValue: "code")
        /// The group of nodes for the user's profile, such as the traits in a settings form.
        public static let profile = Group(rawValue: "profile")
    }

    /// The content of a node, which depends on its type.
    public enum Attributes: Hashable, Sendable {
        /// An input or a button.
        case input(FlowInput)
        /// A link. Check the address before you open it, because it may use any scheme.
        case link(id: String, address: String, title: FlowMessage?)
        /// A text that should be shown to the user.
        case text(id: String, FlowMessage)
        /// An image. If the server sends its size, the width and height are in pixels.
        case image(id: String, address: String, width: Int?, height: Int?)
        /// The attributes of a malformed node or a node of an unknown type, as sent by the server.
        ///
        /// Don't display nodes with unknown attributes, and don't execute scripts.
        case unknown(JSONValue)
    }

    /// The server's name for the type of the node, such as `input`, `a`, `img` or `text`.
    public var type: String

    /// The group that the node belongs to.
    public var group: Group

    /// The content of the node.
    public var attributes: Attributes

    /// The label of an input or button.
    ///
    /// Most hidden inputs don't have a label.
    public var label: FlowMessage?

    /// Messages about this node, such as errors in its value.
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

    /// The attributes of an input or button, or `nil` for other nodes.
    public var input: FlowInput? {
        if case .input(let input) = attributes { input } else { nil }
    }

    /// The name of an input or button, or `nil` for other nodes.
    public var name: String? { input?.name }
}

extension FlowNode {
    /// Decodes a node.
    ///
    /// If the node's type is unknown, the attributes are kept in their original form.
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
    /// Decodes the attributes of a node.
    ///
    /// If a required member is missing, the attributes are decoded as `unknown`.
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

extension FlowNode.Attributes: CustomReflectable {
    /// A mirror for printing, without texts and images, which can contain the key for one-time passwords.
    public var customMirror: Mirror {
        let (name, value): (String, Any) =
            switch self {
            case .input(let input): ("input", input)
            case .link(let id, _, let title): ("link", (id: id, title: title))
            case .text(let id, _): ("text", id)
            case .image(let id, _, _, _): ("image", id)
            case .unknown: ("unknown", Masked())
            }
        return Mirror(self, children: [name: value], displayStyle: .enum)
    }
}
