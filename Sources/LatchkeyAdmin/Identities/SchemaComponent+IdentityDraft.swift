import LatchkeyAccounts
import LatchkeyServerKit

extension SchemaComponent {
    /// The body of a request that creates or replaces an identity.
    ///
    /// The schema has the members that ``IdentityDraft/init(_:)`` reads. Kratos doesn't have the members
    /// `verify_addresses` and `check_password`.
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

    /// The credentials to set: a password, either in plain text or as a hash.
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

    /// An address and its verification status, for example for an identity that is imported.
    private static let address = JSONSchema.object(
        [
            .required("value", .text), .optional("verified", .boolean),
            .optional("status", .oneOf("pending", "sent", "completed")), .optional("via", .text),
        ],
        isOpen: true
    )
}
