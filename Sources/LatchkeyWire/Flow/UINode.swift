/// One element of a flow's form.
package struct UINode: Hashable, Sendable, Codable {
    /// What an input carries; absent members are not sent.
    package struct Attributes: Hashable, Sendable, Codable {
        package var name: String
        package var type: String
        package var value: JSONValue?
        package var required: Bool?
        package var autocomplete: String?
        package var pattern: String?
        package var maxlength: Int?
        package var disabled: Bool
        package var nodeType: String

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

    package struct Meta: Hashable, Sendable, Codable {
        package var label: UIMessage?

        package init(label: UIMessage? = nil) {
            self.label = label
        }
    }

    package var type: String
    package var group: String
    package var attributes: Attributes
    package var messages: [UIMessage]
    package var meta: Meta

    package init(
        group: String,
        attributes: Attributes,
        messages: [UIMessage] = [],
        label: UIMessage? = nil
    ) {
        type = "input"
        self.group = group
        self.attributes = attributes
        self.messages = messages
        meta = Meta(label: label)
    }
}
