/// One element of a flow's form.
package struct UINode: Hashable, Sendable, Codable {
    package struct Meta: Hashable, Sendable, Codable {
        package var label: UIMessage?

        package init(label: UIMessage? = nil) {
            self.label = label
        }
    }

    package var type: String
    package var group: String
    package var attributes: UIAttributes
    package var messages: [UIMessage]
    package var meta: Meta

    /// Makes an input.
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

    /// Makes a link.
    package init(group: String, link: UIAttributes.Link) {
        type = "a"
        self.group = group
        attributes = .link(link)
        messages = []
        meta = Meta(label: link.title)
    }

    /// The name of an input; nothing for other elements.
    package var name: String? {
        if case .input(let input) = attributes { input.name } else { nil }
    }
}
