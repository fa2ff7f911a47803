import LatchkeyWire

/// What one-time codes contribute to forms.
enum CodeNodes {
    /// A button that asks for a code.
    static func ask(_ label: UIMessage) -> UINode {
        UINode(
            group: "code",
            attributes: .init(name: "method", type: "submit", value: .string("code")),
            label: label
        )
    }

    /// A field for the code that was sent, with a button that sends another by the name and value that fit the flow.
    static func enter(
        _ label: UIMessage,
        pattern: String? = nil,
        maxlength: Int? = nil,
        resend name: String,
        _ value: String
    ) -> [UINode] {
        [
            UINode(group: "code", attributes: .init(name: "method", type: "hidden", value: .string("code"))),
            UINode(
                group: "code",
                attributes: .init(
                    name: "code",
                    type: "text",
                    required: true,
                    autocomplete: "one-time-code",
                    pattern: pattern,
                    maxlength: maxlength
                ),
                label: label
            ),
            ask(UIMessage.Label.proceed),
            UINode(
                group: "code",
                attributes: .init(name: name, type: "submit", value: .string(value)),
                label: UIMessage.Label.resend
            ),
        ]
    }

    /// A field for the address that a code is to be sent to.
    static func address(type: String, _ label: UIMessage, value: JSONValue?) -> [UINode] {
        [
            UINode(
                group: "code",
                attributes: .init(name: "email", type: type, value: value, required: true),
                label: label
            ),
            ask(UIMessage.Label.proceed),
        ]
    }
}
