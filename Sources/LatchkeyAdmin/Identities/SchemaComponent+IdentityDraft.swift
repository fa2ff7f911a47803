import LatchkeyAccounts
import LatchkeyServerKit
import LatchkeyWire

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
            .optional("verifiable_addresses", .array(.object(address + verification))),
            .optional("recovery_addresses", .array(.object(address))),
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

    /// The members of an address.
    ///
    /// When an identity is changed, all members must be equal to the stored ones.
    private static let address: [JSONSchema.Property] = [
        .required("value", .text), .optional("id", .uuid), .optional("via", .text),
        .optional("created_at", .time), .optional("updated_at", .time),
    ]

    /// The verification of an address, for example for an identity that is imported.
    private static let verification: [JSONSchema.Property] = [
        .optional("verified", .boolean), .optional("status", .oneOf("pending", "sent", "completed")),
        .optional("verified_at", .time),
    ]
}
