import LatchkeyCourier
import LatchkeyModel
import LatchkeyServerKit
package import LatchkeyWire

extension SchemaComponent {
    /// The OpenAPI schema of an identity as returned to its owner.
    package static let identity = SchemaComponent(
        "Identity",
        "An identity. Its traits conform to its identity schema.",
        .object(head + members)
    )

    /// The OpenAPI schema of an identity as returned to operators.
    package static let administeredIdentity = SchemaComponent(
        "AdministeredIdentity",
        "An identity as returned to operators. Password hashes are never included.",
        .object(
            [
                .optional(
                    "credentials",
                    .object([
                        .optional("code", .component(codeCredential)),
                        .optional("password", .component(passwordCredential)),
                    ])
                )
            ]
                + head
                + members + [
                    .optional("waived_fields", .array(.text)), .required("metadata_admin", .any),
                    .optional("deletion_at", .time),
                ]
        )
    )

    /// The members that contain the ids of the identity and its schema.
    private static let head: [JSONSchema.Property] = [
        .required("id", .uuid),
        .required("schema_id", .text),
        .required("schema_url", .text),
    ]

    /// The other members of an identity, which are returned to both owners and operators.
    private static let members: [JSONSchema.Property] = [
        .optional("external_id", .text),
        .required("state", .oneOf(Identity.State.allCases)),
        .required("state_changed_at", .time),
        .required("traits", .anyObject),
        .optional("verifiable_addresses", .array(.component(verifiableAddress))),
        .optional("recovery_addresses", .array(.component(recoveryAddress))),
        .required("metadata_public", .any),
        .required("created_at", .time),
        .required("updated_at", .time),
        .required("organization_id", .null),
    ]

    private static let verifiableAddress = SchemaComponent(
        "VerifiableAddress",
        "A verifiable address.",
        .object([
            .required("id", .uuid),
            .required("value", .text),
            .required("verified", .boolean),
            .required("via", .oneOf(Message.Channel.allCases)),
            .required("status", .oneOf("pending", "sent", "completed")),
            .optional("verified_at", .time),
            .required("created_at", .time),
            .required("updated_at", .time),
        ])
    )

    private static let recoveryAddress = SchemaComponent(
        "RecoveryAddress",
        "A recovery address.",
        .object([
            .required("id", .uuid),
            .required("value", .text),
            .required("via", .oneOf(Message.Channel.allCases)),
            .required("created_at", .time),
            .required("updated_at", .time),
        ])
    )

    private static let codeCredential = SchemaComponent(
        "CodeCredential",
        "A credential for logging in with codes, and the addresses that codes can be sent to.",
        .object([
            .required("type", .oneOf("code")),
            .required("identifiers", .array(.text)),
            .optional(
                "config",
                .object([
                    .required(
                        "addresses",
                        .array(
                            .object([
                                .required("channel", .oneOf(Message.Channel.allCases)),
                                .required("address", .text),
                            ])
                        )
                    )
                ])
            ),
            .required("version", .integer),
            .required("created_at", .time),
            .required("updated_at", .time),
        ])
    )

    private static let passwordCredential = SchemaComponent(
        "PasswordCredential",
        "A password credential and its login identifiers.",
        .object([
            .required("type", .oneOf("password")),
            .required("identifiers", .array(.text)),
            .optional("config", .object([.required("algorithm", .text)])),
            .required("version", .integer),
            .required("created_at", .time),
            .required("updated_at", .time),
        ])
    )
}
