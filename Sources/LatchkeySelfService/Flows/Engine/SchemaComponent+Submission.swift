import LatchkeyServerKit
import LatchkeyWire

extension SchemaComponent {
    /// Returns the OpenAPI schema for submissions to a kind of flow.
    ///
    /// The object allows additional members, because clients may submit dotted members (``DottedFields``) and
    /// members that the server ignores, such as `csrf_token`.
    static func submission(_ kind: FlowKind) -> SchemaComponent {
        SchemaComponent(
            kind.rawValue.prefix(1).uppercased() + kind.rawValue.dropFirst() + "Submission",
            "The values that can be submitted to a \(kind.rawValue) flow. The flow's nodes show which values it expects.",
            .object(members(kind), isOpen: true)
        )
    }

    /// Returns the members that the flow's methods accept.
    private static func members(_ kind: FlowKind) -> [JSONSchema.Property] {
        switch kind {
        case .login:
            return [
                .required("method", .oneOf("password", "code")), .optional("identifier", .text),
                .optional("password", .text), .optional("code", .text), .optional("resend", .text),
            ]
        case .registration:
            return [
                .required("method", .oneOf("password", "code", "profile")), .optional("traits", .anyObject),
                .optional("password", .text), .optional("code", .text), .optional("resend", .text),
                .optional("screen", .oneOf("previous")),
            ]
        case .settings:
            return [
                .required("method", .oneOf("password", "profile")), .optional("traits", .anyObject),
                .optional("password", .text),
            ]
        case .recovery, .verification:
            return [
                .required("method", .oneOf("code")), .optional("email", .text), .optional("code", .text),
            ]
        }
    }
}
