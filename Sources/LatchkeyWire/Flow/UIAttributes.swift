/// The attributes of a node in a flow's form, which depend on the node type.
///
/// In the JSON, the member `node_type` selects the type.
package enum UIAttributes: Hashable, Sendable {
    /// An input field, a hidden value or a button.
    case input(Input)

    /// A link.
    case link(Link)

    /// A node type that this version does not support.
    case unknown(nodeType: String)
}

extension UIAttributes {
    /// The attributes of an input; `nil` members are omitted.
    package struct Input: Hashable, Sendable, Codable {
        /// The name of the field in the submission; for a trait, `traits.` followed by the trait's path.
        package var name: String
        /// The HTML input type, such as `text`, `password`, `hidden` or `submit`.
        package var type: String
        /// The initial value, or the value that a button submits; `nil` if there is none.
        package var value: JSONValue?
        /// Whether a submission must contain the field; `nil` means that the field is optional.
        package var required: Bool?
        /// The HTML `autocomplete` token, such as `one-time-code`, for password managers.
        package var autocomplete: String?
        /// The regular expression against which a browser checks the value.
        package var pattern: String?
        /// The maximum length that a browser enforces; the server checks the length separately.
        package var maxlength: Int?
        /// Whether the field cannot be changed; always `false` in this server's forms.
        package var disabled: Bool
        /// Always `input`.
        package private(set) var nodeType: String

        /// Creates an input that is not disabled.
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
        /// The URL of the link.
        package var href: String
        package var title: UIMessage
        package var id: String
        /// Always `a`.
        package private(set) var nodeType: String

        /// Creates a link; `id` is the id of its HTML element, and `title` is its visible text.
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

    /// Decodes attributes according to their `node_type`; an unknown type yields ``unknown(nodeType:)``
    /// rather than an error.
    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        switch try container.decode(String.self, forKey: .nodeType) {
        case "input": self = .input(try Input(from: decoder))
        case "a": self = .link(try Link(from: decoder))
        case let other: self = .unknown(nodeType: other)
        }
    }

    /// Encodes the attributes; for an unknown type, only the `node_type` is encoded.
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
