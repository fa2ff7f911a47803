import LatchkeyAccounts
import LatchkeyServerKit

extension SchemaComponent {
    /// The body of requests with which operators create or replace an identity.
    ///
    /// The body has the members that ``IdentityDraft/init(_:)`` accepts. The members `verify_addresses` and
    /// `check_password` are not part of Kratos.
    static let identityDraft = SchemaComponent(
        "IdentityDraft",
        "The data of a new or changed identity. Unknown members are rejected.",
        .object([
            .required("schema_id", .text),
            .required("traits", .anyObject),
            .optional("state", .oneOf(Identity.State.allCases)),
            .optional("metadata_public", .any),
            .optional("metadata_admin", .any),
            .optional("external_id", .text(atMost: 255)),
            .optional("credentials", credentials),
            .optional("verifiable_addresses", .array(address)),
            .optional("recovery_addresses", .array(address)),
            .optional("verify_addresses", .boolean),
            .optional("check_password", .boolean),
        ])
    )

    /// The credentials to set, which are a password in plain text or as a hash.
    private static let credentials = JSONSchema.object([
        .optional(
            "password",
            .object([
                .optional(
                    "config",
                    .object([.optional("password", .text), .optional("hashed_password", .text)])
                )
            ])
        )
    ])

    /// An address whose verification status the operator sets, such as an imported address.
    private static let address = JSONSchema.object(
        [
            .required("value", .text), .optional("verified", .boolean),
            .optional("status", .oneOf("pending", "sent", "completed")), .optional("via", .text),
        ],
        isOpen: true
    )
}
