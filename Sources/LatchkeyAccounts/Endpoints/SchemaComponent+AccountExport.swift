import LatchkeyCourier
import LatchkeyModel
import LatchkeyServerKit
import LatchkeyWire

extension SchemaComponent {
    /// The data about an account that users can export.
    static let accountExport = SchemaComponent(
        "AccountExport",
        "The data that the server stores about an account.",
        .object([
            .required("exported_at", .time),
            .required("identity", .component(.identity)),
            .optional("confirmed_at", .time),
            .required("addresses", .array(address)),
            .optional("password", .object([.required("created_at", .time), .required("updated_at", .time)])),
            .required(
                "credentials",
                .array(
                    .object([
                        .required("id", .uuid), .required("method", .text), .required("created_at", .time),
                    ])
                )
            ),
            .required("known_networks", .array(.object([.required("seen_at", .time)]))),
            .required("certificates", .array(certificate)),
            .required("messages", .array(message)),
            .required("token_families", .array(tokenFamily)),
            .required("grants", .array(grant)),
            .required("consents", .array(consent)),
            .required("flows", .array(flow)),
            .required("codes", .array(code)),
            .required("agreements", .array(RecordedAnswerBody.schema)),
            // The purchase API describes the objects in these lists. The lists are missing if the account has
            // no purchases.
            .optional("payment_methods", .array(.anyObject)),
            .optional("transactions", .array(.anyObject)),
            .required("sessions", .array(.component(.administeredSession))),
            .required("events", .array(event)),
        ])
    )

    /// The authorization of an OAuth client.
    private static let grant = JSONSchema.object([
        .required("id", .uuid),
        .required("client_id", .text),
        .required("scope", .text),
        .required("session_id", .uuid),
        .required("created_at", .time),
        .required("used_at", .time),
        .required("expires_at", .time),
        .optional("ended_at", .time),
    ])

    private static let consent = JSONSchema.object([
        .required("client_id", .text),
        .required("scope", .text),
        .required("created_at", .time),
        .required("updated_at", .time),
    ])

    private static let address = JSONSchema.object([
        .required("via", .oneOf(Message.Channel.allCases)),
        .required("value", .text),
        .required("state", .oneOf(["claimed"] + AddressState.allCases.map(\.rawValue))),
    ])

    private static let certificate = JSONSchema.object([
        .required("serial_number", .text),
        .required("session_id", .uuid),
        .required("key_thumbprint", .text),
        .required("issued_at", .time),
        .required("not_after", .time),
        .optional("revoked_at", .time),
    ])

    private static let message = JSONSchema.object([
        .required("template", .text),
        .required("via", .text),
        .required("recipient", .text),
        .required("status", .text),
        .required("created_at", .time),
    ])

    private static let tokenFamily = JSONSchema.object([
        .required("session_id", .uuid),
        .required("created_at", .time),
        .required("used_at", .time),
    ])

    private static let flow = JSONSchema.object([
        .required("kind", .text),
        .required("state", .text),
        .required("issued_at", .time),
        .required("expires_at", .time),
    ])

    private static let code = JSONSchema.object([
        .required("via", .oneOf(Message.Channel.allCases)),
        .required("address", .text),
        .required("issued_at", .time),
        .required("expires_at", .time),
    ])

    private static let event = JSONSchema.object([
        .required("time", .time),
        .required("actor", .oneOf(AuditEvent.Actor.allCases)),
        .required("action", .text),
        .optional("subject", .text),
        .optional("ip_address", .text),
    ])
}
