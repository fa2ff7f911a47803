extension APIOperation {
    private static let identity = JSONSchema.component(.administeredIdentity)
    private static let id = APIParameter.path("id", "The identity's id.", .uuid)
    private static let included = APIParameter.query(
        "include_credential",
        "Whether to tell how a credential of this kind is kept; given once for each kind.",
        .oneOf(IdentityEndpoints.credentialKinds.sorted())
    )
    private static let unknown = APIResponse.refusal(404, "The identity does not exist.")
    private static let taken = APIResponse.refusal(
        409,
        "Another identity has this identifier, address or external id."
    )

    static let listIdentities = APIOperation(
        "listIdentities",
        "Lists identities in the order of their ids, or those of one filter; filters exclude each other.",
        parameters: [
            .pageSize, .pageToken, .page, .perPage, included,
            .query(
                "consistency",
                "Accepted for clients of Kratos; every list is as of now.",
                .oneOf("", "strong", "eventual")
            ),
            .query("credentials_identifier", "What the identity logs in with, whole."),
            .query(
                "ids",
                "The ids of the identities that are asked for, with commas between them or given once for each."
            ),
            .query("organization_id", "Accepted for clients of Kratos; no identity is in an organization."),
            .query(
                "preview_credentials_identifier_similar",
                "Refused: identifiers are found by their whole.",
                .oneOf("")
            ),
        ],
        [APIResponse(200, "The identities.", .array(identity), headers: [.link])]
    )

    static let createIdentity = APIOperation(
        "createIdentity",
        "Makes an identity, also with a password that another system has hashed.",
        body: APIBody(schema: .component(.identityDraft)),
        [APIResponse(201, "The identity.", identity, headers: [.location]), taken]
    )

    static let createIdentities = APIOperation(
        "batchPatchIdentities",
        "Makes many identities, each made or refused by itself.",
        body: APIBody(
            schema: .object(
                [
                    .required(
                        "identities",
                        .array(
                            .object(
                                [
                                    .required("create", .component(.identityDraft)),
                                    .optional("patch_id", .uuid),
                                ],
                                isOpen: true
                            ),
                            most: 1000
                        )
                    )
                ],
                isOpen: true
            )
        ),
        [
            APIResponse(
                200,
                "What came of each, in its place.",
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
        "Shows an identity.",
        parameters: [id, included],
        [APIResponse(200, "The identity.", identity), unknown]
    )

    static let getIdentityByExternalID = APIOperation(
        "getIdentityByExternalID",
        "Shows the identity that another system knows by a name.",
        parameters: [.path("external_id", "The name.", .text), included],
        [APIResponse(200, "The identity.", identity), unknown]
    )

    static let replaceIdentity = APIOperation(
        "updateIdentity",
        "Makes an identity what the body says; what it leaves out is gone, but for state and password.",
        parameters: [id],
        body: APIBody(schema: .component(.identityDraft)),
        [APIResponse(200, "The identity.", identity), unknown, taken]
    )

    static let patchIdentity = APIOperation(
        "patchIdentity",
        "Changes an identity by a JSON patch (RFC 6902).",
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

    static let deleteIdentity = APIOperation(
        "deleteIdentity",
        "Deletes an identity and all that belongs to it, but for the audit log.",
        parameters: [id],
        [APIResponse(204, "It is gone."), unknown]
    )

    static let removeCredential = APIOperation(
        "deleteIdentityCredentials",
        "Takes a credential away; only passwords can be taken.",
        parameters: [
            id, .path("type", "The kind of credential.", .oneOf(IdentityEndpoints.credentialKinds.sorted())),
        ],
        [
            APIResponse(204, "It is gone."),
            .refusal(404, "There is no such identity, or it has no credential of this kind."),
        ]
    )
}
