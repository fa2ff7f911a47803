import LatchkeyServerKit
package import LatchkeyWire

extension SchemaComponent {
    /// The OpenAPI schema of a session as returned to its owner.
    package static let session = SchemaComponent(
        "Session",
        "A session, without its token.",
        .object(
            members(identity: .component(.identity), devices: .array(.component(device)))
                + [.optional("duties", .array(DutyBody.schema))]
        )
    )

    /// The OpenAPI schema of a session as returned to operators, who choose whether to include its identity
    /// and devices.
    package static let administeredSession = SchemaComponent(
        "AdministeredSession",
        "A session as returned to operators. `expand` selects whether its identity and devices are included.",
        .object(
            members(identity: .component(.identity).orNull, devices: .array(.component(device)).orNull)
        )
    )

    /// Returns the members of a session object, given the schemas of its identity and devices.
    ///
    /// For operators, both members are `null` unless they were requested.
    private static func members(identity: JSONSchema, devices: JSONSchema) -> [JSONSchema.Property] {
        [
            .required("id", .uuid),
            .required("active", .boolean),
            .required("expires_at", .time),
            .required("authenticated_at", .time),
            .required("authenticator_assurance_level", .oneOf(AssuranceLevel.allCases)),
            .required("authentication_methods", .array(.component(authentication))),
            .required("issued_at", .time),
            .optional("client_id", .text),
            .optional("client_name", .text),
            .required("identity", identity),
            .required("devices", devices),
        ]
    }

    private static let authentication = SchemaComponent(
        "AuthenticationMethod",
        "How the user authenticated.",
        .object([
            .required("method", .text),
            .required("aal", .oneOf(AssuranceLevel.allCases)),
            .required("completed_at", .time),
        ])
    )

    private static let device = SchemaComponent(
        "SessionDevice",
        "The device on which the session was created.",
        .object([
            .required("id", .uuid),
            .required("ip_address", .text),
            .required("user_agent", .text),
            .required("location", .text),
        ])
    )
}
