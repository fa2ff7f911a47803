/// A node of a flow's form: an input or a link, with its messages.
package struct UINode: Hashable, Sendable, Codable {
    /// The metadata of a node: its label.
    package struct Meta: Hashable, Sendable, Codable {
        /// The label of the field or button; `nil` for hidden fields.
        package var label: UIMessage?

        package init(label: UIMessage? = nil) {
            self.label = label
        }
    }

    /// The node type: `input` or `a`.
    package var type: String
    /// The group of the node, such as `default`, `password`, `profile` or `code`.
    package var group: String
    /// The attributes, whose type corresponds to ``type``.
    package var attributes: UIAttributes
    /// Messages about this node, such as validation errors; encoded even if empty.
    package var messages: [UIMessage]
    /// The metadata; encoded as an empty object if there is no label.
    package var meta: Meta

    /// Creates an input.
    ///
    /// - Parameters:
    ///   - group: The group, which clients use to arrange the form.
    ///   - attributes: The name, type and value of the input.
    ///   - messages: The messages about the last submitted value.
    ///   - label: The label; `nil` for hidden fields.
    package init(
        group: String,
        attributes: UIAttributes.Input,
        messages: [UIMessage] = [],
        label: UIMessage? = nil
    ) {
        type = "input"
        self.group = group
        self.attributes = .input(attributes)
        self.messages = messages
        meta = Meta(label: label)
    }

    /// Creates a link.
    package init(group: String, link: UIAttributes.Link) {
        type = "a"
        self.group = group
        attributes = .link(link)
        messages = []
        meta = Meta(label: link.title)
    }

    /// The name of an input; `nil` for other nodes.
    package var name: String? {
        if case .input(let input) = attributes { input.name } else { nil }
    }
}
