import LatchkeyAccounts
import LatchkeyCrypto
import LatchkeyServerKit
import LatchkeyWire

extension SchemaComponent {
    private typealias Property = JSONSchema.Property

    /// A client in a response.
    static let oauthClient = SchemaComponent(
        "OAuth2Client",
        "An OAuth client. The secret is only contained in the response that creates it.",
        .object(
            [.required("client_id", .text), .optional("client_secret", .text)]
                + always.map { .required($0.name, $0.schema) }
                + sometimes.map { .optional($0.name, $0.schema) }
                + [
                    .required("latchkey", own(isResponse: true)), .required("created_at", .time),
                    .required("updated_at", .time),
                ]
        )
    )

    /// A client in a request, in which all members are optional.
    static let oauthClientDraft = SchemaComponent(
        "OAuth2ClientDraft",
        "The metadata of an OAuth client. Unknown members are ignored, except in `latchkey`.",
        .object(
            [.optional("client_id", .text), .optional("client_secret", .text)]
                + (always + sometimes).map { .optional($0.name, $0.schema.orNull) }
                + [.optional("latchkey", own(isResponse: false))],
            isOpen: true
        )
    )

    private static let texts = JSONSchema.array(.text)

    /// The members that a client always has.
    private static let always: [(name: String, schema: JSONSchema)] =
        [
            ("client_name", .text), ("owner", .text), ("client_uri", .text), ("logo_uri", .text),
            ("policy_uri", .text), ("tos_uri", .text), ("redirect_uris", texts),
            ("post_logout_redirect_uris", texts),
            ("grant_types", .array(.oneOf(ClientMetadata.GrantType.allCases))),
            ("response_types", .array(.oneOf("code"))), ("scope", .text), ("audience", texts),
            ("token_endpoint_auth_method", .oneOf(ClientMetadata.AuthenticationMethod.allCases)),
            ("application_type", .oneOf(ClientMetadata.ApplicationType.allCases)),
            ("allowed_cors_origins", texts), ("skip_consent", .boolean), ("contacts", texts),
            ("subject_type", .oneOf("public")), ("userinfo_signed_response_alg", .text),
            ("skip_logout_consent", JSONSchema.boolean.orNull), ("jwks", .anyObject),
            ("metadata", .anyObject),
            ("client_secret_expires_at", .integer(minimum: 0, maximum: 0)),
        ] + ClientMetadata.Lifespan.allCases.map { ($0.rawValue, .lifespan) }

    /// The members that a response doesn't contain if they have no value.
    private static let sometimes: [(name: String, schema: JSONSchema)] = [
        ("id_token_signed_response_alg", .oneOf(ClientMetadata.SigningAlgorithm.allCases)),
        ("access_token_strategy", .oneOf("jwt", "opaque")), ("sector_identifier_uri", .text),
        ("jwks_uri", .text), ("token_endpoint_auth_signing_alg", .text),
        ("request_object_signing_alg", .text), ("frontchannel_logout_uri", .text),
        ("frontchannel_logout_session_required", .boolean), ("backchannel_logout_uri", .text),
        ("backchannel_logout_session_required", .boolean),
    ]

    /// Our own members.
    private static func own(isResponse: Bool) -> JSONSchema {
        let members: [(name: String, schema: JSONSchema)] = [
            ("first_party", .boolean), ("app_to_app", .boolean), ("native_session", .boolean),
            ("handover_from", texts), ("pkce", .oneOf(OwnClientMembers.PKCE.allCases)), ("schemas", texts),
            ("sign_up", .oneOf(OwnClientMembers.SignUp.allCases)), ("required_fields", .array(requiredField)),
            ("terms", texts), ("blocking", texts), ("claims_in_id_token", .boolean), ("disabled", .boolean),
            ("allow_short_scheme", .boolean),
        ]
        return .object(
            members.map { isResponse ? .required($0.name, $0.schema) : .optional($0.name, $0.schema) }
                + [.optional("merchant", merchant), .optional("previous_secret_expires_at", .time)]
        )
    }

    private static let requiredField = JSONSchema.object([
        .required("name", .text), .optional("required", .boolean),
        .optional("minimum_age", .integer(minimum: 1, maximum: 150)),
        .optional("minimum_length", .integer(minimum: 1, maximum: 4096)),
        .optional("maximum_length", .integer(minimum: 1, maximum: 4096)),
    ])

    private static let merchant = JSONSchema.object([
        .required("id", .text), .optional("name", .text),
        .optional("kind", .oneOf(OwnClientMembers.Merchant.Kind.allCases)),
    ])
}

extension JSONSchema {
    /// A duration in Go's format, or null if the server's own lifespan applies.
    static let lifespan = JSONSchema.matching("^([0-9]+(ns|us|ms|s|m|h))*$").orNull
}
