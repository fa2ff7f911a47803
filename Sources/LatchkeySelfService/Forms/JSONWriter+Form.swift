package import LatchkeyWire

extension JSONWriter {
    /// Writes the `nodes` and `messages` members of a flow's `ui`.
    ///
    /// `messages` is omitted if there are none.
    ///
    /// The members of nodes and messages are in the same order as in Kratos. Texts are translated and their
    /// placeholders are filled in.
    package mutating func form(_ nodes: [UINode], messages: [UIMessage], in words: FormTranslation) {
        name("nodes")
        array { writer in for node in nodes { writer.node(node, in: words) } }
        guard !messages.isEmpty else { return }
        name("messages")
        array { writer in for message in messages { writer.message(message, in: words) } }
    }

    /// Writes a node.
    ///
    /// `messages` is written even if it is empty, and `meta` even if there is no label.
    private mutating func node(_ node: UINode, in words: FormTranslation) {
        object { writer in
            writer.name("type")
            writer.string(node.type)
            writer.name("group")
            writer.string(node.group)
            writer.name("attributes")
            writer.attributes(node.attributes, in: words)
            writer.name("messages")
            writer.array { writer in for message in node.messages { writer.message(message, in: words) } }
            writer.name("meta")
            writer.object { writer in
                guard let label = node.meta.label else { return }
                writer.name("label")
                writer.message(label, in: words)
            }
        }
    }

    /// Writes the attributes of an input or a link.
    private mutating func attributes(_ attributes: UIAttributes, in words: FormTranslation) {
        object { writer in
            switch attributes {
            case .input(let input): writer.input(input)
            case .link(let link): writer.link(link, in: words)
            case .unknown(let nodeType):
                writer.name("node_type")
                writer.string(nodeType)
            }
        }
    }

    /// Writes the attributes of a link, with its title translated.
    private mutating func link(_ link: UIAttributes.Link, in words: FormTranslation) {
        name("href")
        string(link.href)
        name("title")
        message(link.title, in: words)
        name("id")
        string(link.id)
        name("node_type")
        string(link.nodeType)
    }

    /// Writes the attributes of an input.
    ///
    /// Missing attributes are omitted, except for `disabled`.
    private mutating func input(_ input: UIAttributes.Input) {
        name("name")
        string(input.name)
        name("type")
        string(input.type)
        if let value = input.value {
            name("value")
            self.value(value)
        }
        if let required = input.required {
            name("required")
            bool(required)
        }
        if let autocomplete = input.autocomplete {
            name("autocomplete")
            string(autocomplete)
        }
        if let pattern = input.pattern {
            name("pattern")
            string(pattern)
        }
        if let maxlength = input.maxlength {
            name("maxlength")
            integer(Int64(maxlength))
        }
        name("disabled")
        bool(input.disabled)
        name("node_type")
        string(input.nodeType)
    }

    /// Writes a message with its translated text, and its context if there is one.
    private mutating func message(_ message: UIMessage, in words: FormTranslation) {
        object { writer in
            writer.name("id")
            writer.integer(Int64(message.id.rawValue))
            writer.name("text")
            writer.string(words.text(of: message))
            writer.name("type")
            writer.string(message.type.rawValue)
            if let context = message.context {
                writer.name("context")
                writer.value(.object(context))
            }
        }
    }
}
