package import LatchkeyWire

extension SchemaComponent {
    /// The next step that the client should take.
    package static let continueWith = SchemaComponent(
        "ContinueWith",
        "A next step for the client; `action` is its type.",
        .either([
            .object([
                .required("action", .oneOf("set_ory_session_token")),
                .required("ory_session_token", .text),
            ]),
            .object([
                .required("action", .oneOf("show_verification_ui")),
                .required(
                    "flow",
                    .object([
                        .required("id", .uuid), .required("verifiable_address", .text),
                        .optional("url", .text),
                    ])
                ),
            ]),
            .object([
                .required("action", .oneOf("show_settings_ui", "show_recovery_ui")),
                .required("flow", .object([.required("id", .uuid), .optional("url", .text)])),
            ]),
            .object([
                .required("action", .oneOf("redirect_browser_to")),
                .required("redirect_browser_to", .text),
            ]),
        ])
    )
}
