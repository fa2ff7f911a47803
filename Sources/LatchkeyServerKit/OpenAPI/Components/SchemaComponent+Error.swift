package import LatchkeyWire

extension SchemaComponent {
    /// The error envelope.
    static let error = SchemaComponent(
        "Error",
        "An error. If present, `error.id` is stable; the messages are meant for developers.",
        .object([
            .required("error", members),
            .optional("redirect_browser_to", .text),
            .optional("expired_at", .time),
            .optional("since", .integer(minimum: 0, maximum: nil)),
            .optional("use_flow_id", .uuid),
        ])
    )

    private static let members = JSONSchema.object([
        .optional("id", .text),
        .required("code", .integer(minimum: 400, maximum: 599)),
        .required("status", .text),
        .optional("request", .text),
        .optional("reason", .text),
        .optional("duty", .text),
        .optional(
            "details",
            .object([
                .optional("duties", .array(.anyObject)),
                .optional("continue_with", .array(.component(.continueWith))),
                .optional("redirect_to", .text),
                .optional("return_to", .text),
            ])
        ),
        .required("message", .text),
    ])

    /// The error that a browser was redirected with.
    package static let flowError = SchemaComponent(
        "FlowError",
        "An error that a page has to show.",
        .object([
            .required("id", .text),
            .required("error", members),
            .required("created_at", .time),
            .required("updated_at", .time),
        ])
    )

    /// The body of an OAuth error response (RFC 6749, section 5.2).
    package static let oauthError = SchemaComponent(
        "OAuthError",
        "An error response of a token endpoint (RFC 6749, section 5.2).",
        .object([
            .required("error", .text), .optional("error_description", .text), .optional("duty", .text),
        ])
    )
}

extension JSONSchema {
    /// A reference to the schema of the error envelope.
    package static let error = JSONSchema.component(.error)
}
