package import LatchkeyWire

extension JSONWriter {
    /// Writes the members `nodes` and `messages` of a flow's `ui`.
    package mutating func form(_ nodes: [UINode], _ messages: [UIMessage]) {
        name("nodes")
        array { writer in for node in nodes { writer.node(node) } }
        guard !messages.isEmpty else { return }
        name("messages")
        array { writer in for message in messages { writer.message(message) } }
    }

    private mutating func node(_ node: UINode) {
        object { writer in
            writer.name("type")
            writer.string(node.type)
            writer.name("group")
            writer.string(node.group)
            writer.name("attributes")
            writer.attributes(node.attributes)
            writer.name("messages")
            writer.array { writer in for message in node.messages { writer.message(message) } }
            writer.name("meta")
            writer.object { writer in
                guard let label = node.meta.label else { return }
                writer.name("label")
                writer.message(label)
            }
        }
    }

    private mutating func attributes(_ attributes: UINode.Attributes) {
        object { writer in
            writer.name("name")
            writer.string(attributes.name)
            writer.name("type")
            writer.string(attributes.type)
            if let value = attributes.value {
                writer.name("value")
                writer.value(value)
            }
            if let required = attributes.required {
                writer.name("required")
                writer.bool(required)
            }
            if let autocomplete = attributes.autocomplete {
                writer.name("autocomplete")
                writer.string(autocomplete)
            }
            if let pattern = attributes.pattern {
                writer.name("pattern")
                writer.string(pattern)
            }
            if let maxlength = attributes.maxlength {
                writer.name("maxlength")
                writer.integer(Int64(maxlength))
            }
            writer.name("disabled")
            writer.bool(attributes.disabled)
            writer.name("node_type")
            writer.string(attributes.nodeType)
        }
    }

    private mutating func message(_ message: UIMessage) {
        object { writer in
            writer.name("id")
            writer.integer(Int64(message.id.rawValue))
            writer.name("text")
            writer.string(message.text)
            writer.name("type")
            writer.string(message.type.rawValue)
            if let context = message.context {
                writer.name("context")
                writer.value(.object(context))
            }
        }
    }
}
