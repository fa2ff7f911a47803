import LatchkeyCourier
import LatchkeyServerKit
import LatchkeyWire

extension SchemaComponent {
    /// The OpenAPI schema for a message to the user.
    static let message = SchemaComponent(
        "Message",
        "A message to the user. Its id is stable; its text may change.",
        .object([
            .required("id", .integer(minimum: 1_000_000, maximum: 5_999_999)),
            .required("text", .text),
            .required("type", .oneOf("info", "error", "success")),
            .optional("context", .anyObject),
        ])
    )

    /// The OpenAPI schema for a form element.
    static let node = SchemaComponent(
        "Node",
        "An element of a form.",
        .object([
            .required("type", .oneOf("input", "a")),
            .required("group", .text),
            .required("attributes", .either([.component(input), .component(anchor)])),
            .required("messages", .array(.component(message))),
            .required("meta", .object([.optional("label", .component(message))])),
        ])
    )

    /// The OpenAPI schema for the attributes of an input (``UIAttributes/Input``).
    private static let input = SchemaComponent(
        "InputAttributes",
        "An input field or a submit button.",
        .object([
            .required("name", .text),
            .required(
                "type",
                .oneOf(
                    "text",
                    "password",
                    "number",
                    "checkbox",
                    "hidden",
                    "email",
                    "tel",
                    "submit",
                    "date",
                    "url"
                )
            ),
            .optional("value", .any),
            .optional("required", .boolean),
            .optional("autocomplete", .text),
            .optional("pattern", .text),
            .optional("maxlength", .integer(minimum: 1, maximum: nil)),
            .required("disabled", .boolean),
            .required("node_type", .oneOf("input")),
        ])
    )

    /// The OpenAPI schema for the attributes of a link.
    ///
    /// Only completed verifications have a link.
    private static let anchor = SchemaComponent(
        "AnchorAttributes",
        "A link.",
        .object([
            .required("href", .text),
            .required("title", .component(message)),
            .required("id", .text),
            .required("node_type", .oneOf("a")),
        ])
    )
}
