import LatchkeyWire

/// The form nodes for one-time codes, with Kratos's names and groups.
enum CodeNodes {
    /// Returns a button that requests or submits a code.
    ///
    /// The name of the button is `method`, so pressing it chooses the method `code`.
    static func ask(_ label: UIMessage) -> UINode {
        UINode(
            group: "code",
            attributes: .init(name: "method", type: "submit", value: .string("code")),
            label: label
        )
    }

    /// Returns the field for a code that was sent, with buttons to submit the code and to request another
    /// one.
    ///
    /// - Parameters:
    ///   - label: The label of the field.
    ///   - pattern: A regular expression for the code; `nil` for none.
    ///   - maxlength: The maximum number of characters; `nil` for none.
    ///   - name: The name of the button that requests another code: `resend`, or the name of the address
    ///     field.
    ///   - value: The value of the button that requests another code.
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

    /// Returns the field for the address to which a code is sent, with its submit button.
    ///
    /// - Parameters:
    ///   - type: The input type: `email`, `tel`, or `text` if both kinds of address are accepted.
    ///   - label: The label of the field.
    ///   - value: The most recently submitted value; `nil` for an empty field.
    /// - Returns: The field and its button; the field is named `email` even for phone numbers.
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
