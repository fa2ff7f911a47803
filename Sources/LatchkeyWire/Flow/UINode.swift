/// A node in a flow's form: an input or a link, together with its messages.
package struct UINode: Hashable, Sendable, Codable {
    /// Metadata for displaying a node.
    package struct Meta: Hashable, Sendable, Codable {
        /// The label of a field or button.
        ///
        /// The value is `nil` for hidden fields.
        package var label: UIMessage?

        package init(label: UIMessage? = nil) {
            self.label = label
        }
    }

    /// The node type, either `input` or `a`.
    package var type: String
    /// The group that the node belongs to, such as `default`, `password`, `profile` or `code`.
    package var group: String
    /// The attributes, which depend on ``type``.
    package var attributes: UIAttributes
    /// Messages about this node, such as validation errors.
    ///
    /// The array is encoded even if it is empty.
    package var messages: [UIMessage]
    /// Metadata for displaying the node.
    ///
    /// If there is no label, the metadata is encoded as an empty object.
    package var meta: Meta

    /// Creates an input node.
    ///
    /// - Parameters:
    ///   - group: The group that the node belongs to. Clients use the groups to arrange the form.
    ///   - attributes: The name, type and value of the input.
    ///   - messages: Messages about the value that was last submitted.
    ///   - label: The label, or `nil` for hidden fields.
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

    /// Creates a link node.
    package init(group: String, link: UIAttributes.Link) {
        type = "a"
        self.group = group
        attributes = .link(link)
        messages = []
        meta = Meta(label: link.title)
    }

    /// The name of an input, or `nil` for other nodes.
    package var name: String? {
        if case .input(let input) = attributes { input.name } else { nil }
    }
}
