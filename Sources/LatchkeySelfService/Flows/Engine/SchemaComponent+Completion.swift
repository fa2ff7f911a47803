import LatchkeyAccounts
import LatchkeyServerKit
import LatchkeyWire

extension SchemaComponent {
    /// The OpenAPI schema for the response to a completed login.
    static let login = SchemaComponent(
        "Login",
        "A new session, for native apps with its token.",
        .object([
            .optional("session_token", .text),
            .required("session", .component(.session)),
            .required("continue_with", .array(.component(.continueWith)).orNull),
        ])
    )

    /// The OpenAPI schema for the response to a completed registration.
    static let registration = SchemaComponent(
        "Registration",
        "A new identity, with a session if registration creates one, for native apps with its token.",
        .object([
            .optional("session_token", .text),
            .optional("session", .component(.session)),
            .required("identity", .component(.identity)),
            .required("continue_with", .array(.component(.continueWith)).orNull),
        ])
    )
}
