import LatchkeyWire

/// Form nodes for one-time codes, with the same names and groups as in Kratos.
enum CodeNodes {
    /// Returns a button that asks for a code or submits one.
    ///
    /// The button is named `method`, so pressing it chooses the `code` method.
    static func ask(_ label: UIMessage) -> UINode {
        UINode(
            group: "code",
            attributes: .init(name: "method", type: "submit", value: .string("code")),
            label: label
        )
    }

    /// Returns a field for entering a code, with buttons for submitting it and for asking for another one.
    ///
    /// - Parameters:
    ///   - label: The label of the field.
    ///   - pattern: A regular expression that the code must match, or `nil` for none.
    ///   - maxlength: The maximum number of characters, or `nil` for no limit.
    ///   - name: The name of the button that asks for another code, which is either `resend` or the name of
    ///     the address field.
    ///   - value: The value of the button that asks for another code.
    /// - Returns: The field and the buttons.
    static func enter(
        _ label: UIMessage,
        pattern: String? = nil,
        maxlength: Int? = nil,
        resend name: String,
        value: String
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

    /// Returns a field for the address to send a code to, and its submit button.
    ///
    /// - Parameters:
    ///   - type: The input type, which is `email`, `tel`, or `text` if both kinds of address are accepted.
    ///   - label: The label of the field.
    ///   - value: The most recently submitted value, or `nil` to leave the field empty.
    /// - Returns: The field and its button. The field is named `email` even if it is for phone numbers.
    static func address(type: String, label: UIMessage, value: JSONValue?) -> [UINode] {
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
