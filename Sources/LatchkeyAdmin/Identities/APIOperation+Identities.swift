import LatchkeyAccounts
import LatchkeyServerKit
import LatchkeyWire

extension APIOperation {
    private static let identity = JSONSchema.component(.administeredIdentity)
    private static let id = APIParameter.path("id", "The identity's id.", .uuid)
    private static let included = APIParameter.query(
        "include_credential",
        "Includes the configuration of credentials of this type. Repeat the parameter to include several types.",
        .oneOf(IdentityEndpoints.credentialKinds.sorted())
    )
    private static let unknown = APIResponse.refusal(404, "The identity does not exist.")
    private static let taken = APIResponse.refusal(
        409,
        "Another identity has this identifier, address or external id."
    )

    /// Corresponds to Kratos's `listIdentities` operation.
    ///
    /// The description includes parameters that Kratos has but this server doesn't support, so that they
    /// aren't rejected as unknown.
    static let listIdentities = APIOperation(
        "listIdentities",
        "Lists identities ordered by id. Only one filter can be used at a time.",
        parameters: [
            .pageSize, .pageToken, .page, .perPage, included,
            .query(
                "consistency",
                "Accepted for compatibility with Kratos; lists are always strongly consistent.",
                .oneOf("", "strong", "eventual")
            ),
            .query("credentials_identifier", "The complete login identifier of the identity."),
            .query(
                "ids",
                "The ids of the requested identities, separated by commas or as repeated parameters."
            ),
            .query(
                "organization_id",
                "Accepted for compatibility with Kratos; no identity belongs to an organization."
            ),
            .query(
                "preview_credentials_identifier_similar",
                "Not supported: identifiers are matched exactly.",
                .oneOf("")
            ),
        ],
        [APIResponse(200, "The identities.", .array(identity), headers: [.link])]
    )

    static let createIdentity = APIOperation(
        "createIdentity",
        "Creates an identity, optionally with a password hash from another system.",
        body: APIBody(schema: .component(.identityDraft)),
        [APIResponse(201, "The identity.", identity, headers: [.location]), taken]
    )

    /// Corresponds to Kratos's `batchPatchIdentities` operation.
    ///
    /// On this server, the operation can only create identities.
    static let createIdentities = APIOperation(
        "batchPatchIdentities",
        "Creates several identities, each independently of the others.",
        body: APIBody(
            schema: .object([
                .required(
                    "identities",
                    .array(
                        .object([
                            .required("create", .component(.identityDraft)), .optional("patch_id", .uuid),
                        ]),
                        most: 1000
                    )
                )
            ])
        ),
        [
            APIResponse(
                200,
                "The result of each item, in the order of the request.",
                .object([
                    .required(
                        "identities",
                        .array(
                            .object([
                                .required("action", .oneOf("create", "error")), .optional("identity", .uuid),
                                .optional(
                                    "error",
                                    .object([
                                        .required("code", .integer), .required("message", .text),
                                        .optional("reason", .text),
                                    ])
                                ),
                                .optional("patch_id", .uuid),
                            ])
                        )
                    )
                ])
            )
        ]
    )

    static let getIdentity = APIOperation(
        "getIdentity",
        "Returns an identity.",
        parameters: [id, included],
        [APIResponse(200, "The identity.", identity), unknown]
    )

    static let getIdentityByExternalID = APIOperation(
        "getIdentityByExternalID",
        "Returns the identity with an external id.",
        parameters: [.path("external_id", "The external id.", .text), included],
        [APIResponse(200, "The identity.", identity), unknown]
    )

    /// Corresponds to Kratos's `updateIdentity` operation.
    ///
    /// Unlike in Kratos, `state` may be omitted.
    static let replaceIdentity = APIOperation(
        "updateIdentity",
        "Replaces an identity with the body. Omitted members are removed, except state and password.",
        parameters: [id],
        body: APIBody(schema: .component(.identityDraft)),
        [APIResponse(200, "The identity.", identity), unknown, taken]
    )

    /// Corresponds to Kratos's `patchIdentity` operation.
    ///
    /// Only the members listed in ``IdentityPatch`` can be changed.
    static let patchIdentity = APIOperation(
        "patchIdentity",
        "Updates an identity with a JSON patch (RFC 6902).",
        parameters: [id],
        body: APIBody(
            schema: .array(
                .object(
                    [
                        .required("op", .oneOf("add", "remove", "replace", "move", "copy", "test")),
                        .required("path", .text), .optional("from", .text), .optional("value", .any),
                    ],
                    isOpen: true
                )
            )
        ),
        [APIResponse(200, "The identity.", identity), unknown, taken]
    )

    /// Corresponds to Kratos's `deleteIdentity` operation.
    ///
    /// See ``AccountErasure`` for the data that is deleted.
    static let deleteIdentity = APIOperation(
        "deleteIdentity",
        "Deletes an identity and all of its data, except its audit events.",
        parameters: [id],
        [APIResponse(204, "Deleted."), unknown]
    )

    /// Corresponds to Kratos's `deleteIdentityCredentials` operation.
    ///
    /// For credential types that Kratos defines but this server doesn't support, the response has status 404,
    /// as if the identity had no such credential.
    static let removeCredential = APIOperation(
        "deleteIdentityCredentials",
        "Deletes a credential of an identity. Only passwords can be deleted.",
        parameters: [
            id,
            .path("type", "The type of the credential.", .oneOf(IdentityEndpoints.credentialKinds.sorted())),
        ],
        [
            APIResponse(204, "Deleted."),
            .refusal(404, "The identity does not exist or has no credential of this type."),
        ]
    )
}
