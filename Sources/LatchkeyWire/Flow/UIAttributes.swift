/// The attributes of a node in a flow's form.
///
/// In JSON, the `node_type` member determines which attributes there are.
package enum UIAttributes: Hashable, Sendable {
    /// An input field, a hidden value or a button.
    case input(Input)

    /// A link to another page.
    case link(Link)

    /// A node type that this version doesn't support.
    case unknown(nodeType: String)
}

extension UIAttributes {
    /// The attributes of an input.
    ///
    /// Members that are `nil` are left out of the JSON.
    package struct Input: Hashable, Sendable, Codable {
        /// The name of the field in the submitted form.
        ///
        /// For a trait, this is `traits.` followed by the trait's path.
        package var name: String
        /// The HTML input type, such as `text`, `password`, `hidden` or `submit`.
        package var type: String
        /// The initial value of a field or the value that a button submits, or `nil` if there is none.
        package var value: JSONValue?
        /// Whether the field must be submitted.
        ///
        /// If this is `nil`, the field is optional.
        package var required: Bool?
        /// The HTML `autocomplete` token for password managers, such as `one-time-code`.
        package var autocomplete: String?
        /// A regular expression that browsers use to validate the value.
        package var pattern: String?
        /// The maximum length of the value, which browsers enforce.
        ///
        /// The server checks the length separately.
        package var maxlength: Int?
        /// Whether the field can't be edited.
        ///
        /// This server always sends `false`.
        package var disabled: Bool
        /// Always `input`.
        package private(set) var nodeType: String

        /// Creates an input that isn't disabled.
        package init(
            name: String,
            type: String,
            value: JSONValue? = nil,
            required: Bool? = nil,
            autocomplete: String? = nil,
            pattern: String? = nil,
            maxlength: Int? = nil
        ) {
            self.name = name
            self.type = type
            self.value = value
            self.required = required
            self.autocomplete = autocomplete
            self.pattern = pattern
            self.maxlength = maxlength
            disabled = false
            nodeType = "input"
        }

        private enum CodingKeys: String, CodingKey {
            case name, type, value, required, autocomplete, pattern, maxlength, disabled
            case nodeType = "node_type"
        }
    }

    /// The attributes of a link.
    package struct Link: Hashable, Sendable, Codable {
        /// The URL that the link points to.
        package var href: String
        package var title: UIMessage
        package var id: String
        /// Always `a`.
        package private(set) var nodeType: String

        /// Creates a link.
        ///
        /// `title` is the visible text, and `id` is the ID of the HTML element.
        package init(href: String, title: UIMessage, id: String) {
            self.href = href
            self.title = title
            self.id = id
            nodeType = "a"
        }

        private enum CodingKeys: String, CodingKey {
            case href, title, id
            case nodeType = "node_type"
        }
    }
}

extension UIAttributes: Codable {
    private enum CodingKeys: String, CodingKey {
        case nodeType = "node_type"
    }

    /// Decodes attributes depending on their `node_type`.
    ///
    /// Unknown types are decoded as ``unknown(nodeType:)``.
    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        switch try container.decode(String.self, forKey: .nodeType) {
        case "input": self = .input(try Input(from: decoder))
        case "a": self = .link(try Link(from: decoder))
        case let other: self = .unknown(nodeType: other)
        }
    }

    /// Encodes the attributes.
    ///
    /// For unknown types, only the `node_type` is encoded.
    package func encode(to encoder: any Encoder) throws {
        switch self {
        case .input(let input): try input.encode(to: encoder)
        case .link(let link): try link.encode(to: encoder)
        case .unknown(let nodeType):
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(nodeType, forKey: .nodeType)
        }
    }
}
