import LatchkeyAccounts
import LatchkeyServerKit
import LatchkeyWire

extension SchemaComponent {
    /// Returns the OpenAPI schema for a kind of flow.
    static func flow(_ flow: DocumentedFlow) -> SchemaComponent {
        SchemaComponent(
            flow.name + "Flow",
            "A \(flow.kind.rawValue) flow. Render the nodes of `ui` and submit their values to `ui.action`.",
            .object(members(of: flow) + members(of: flow.kind))
        )
    }

    private static func members(of flow: DocumentedFlow) -> [JSONSchema.Property] {
        [
            .required("id", .uuid),
            .optional("oauth2_login_challenge", .uuid),
            .optional("oauth2_login_request", .component(loginRequest)),
            .required("type", .oneOf(flow.types)),
            .required("expires_at", .time),
            .required("issued_at", .time),
            .required("request_url", .text),
            .optional("return_to", .text),
            .optional("active", .oneOf(flow.methods)),
            .required("ui", .component(form)),
        ]
    }

    /// Returns the members that are specific to a kind of flow.
    private static func members(of kind: FlowKind) -> [JSONSchema.Property] {
        let steps = JSONSchema.oneOf([FlowState.chooseMethod, .sentEmail, .passedChallenge])
        switch kind {
        case .login:
            return [
                .required("organization_id", .null), .required("created_at", .time),
                .required("updated_at", .time), .required("refresh", .boolean),
                .required("requested_aal", .oneOf(AssuranceLevel.allCases)), .required("state", steps),
                .optional("continue_with", .array(.component(.continueWith))),
                .optional("identity_schema", .text),
            ]
        case .registration:
            return [
                .required("organization_id", .null), .required("state", steps),
                .optional("continue_with", .array(.component(.continueWith))),
                .optional("identity_schema", .text),
            ]
        case .settings:
            return [
                .required("identity", .component(.identity)), .required("organization_id", .null),
                .required("state", .oneOf([FlowState.showForm, .success])),
                .optional("continue_with", .array(.component(.continueWith))),
            ]
        case .recovery, .verification:
            return [
                .required("state", steps),
                .optional("continue_with", .array(.component(.continueWith))),
            ]
        }
    }

    /// The OpenAPI schema for the authorization request of a flow, with the names of Ory Hydra.
    private static let loginRequest = SchemaComponent(
        "OAuth2LoginRequest",
        "The authorization request of an OAuth client that a flow belongs to.",
        .object([
            .required("challenge", .uuid),
            .required(
                "client",
                .object([
                    .required("client_id", .text), .required("client_name", .text),
                    .optional("client_uri", .text), .optional("logo_uri", .text),
                    .optional("policy_uri", .text), .optional("tos_uri", .text),
                ])
            ),
            .required("request_url", .text),
            .required("requested_scope", .array(.text)),
            .required("skip", .boolean),
            .required("subject", .text),
        ])
    )

    /// The OpenAPI schema for the form of a flow, which is the value of `ui`.
    private static let form = SchemaComponent(
        "Form",
        "The form to display and the URL to submit it to.",
        .object([
            .required("action", .text),
            .required("method", .oneOf("POST", "GET")),
            .required("nodes", .array(.component(.node))),
            .optional("messages", .array(.component(.message))),
        ])
    )
}
