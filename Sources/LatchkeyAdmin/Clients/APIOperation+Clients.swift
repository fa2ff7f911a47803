import LatchkeyAccounts
import LatchkeyServerKit
import LatchkeyWire

/// The operations have the same ids as in Hydra's API.
extension APIOperation {
    private static let client = JSONSchema.component(.oauthClient)
    private static let id = APIParameter.path("id", "The client's id.", .text)
    private static let unknown = APIResponse.refusal(404, "The client does not exist.")
    private static let found = APIResponse(200, "The client.", client)
    private static let body = APIBody(schema: .component(.oauthClientDraft))

    static let listClients = APIOperation(
        "listOAuth2Clients",
        "Lists OAuth clients ordered by id, without their secrets.",
        parameters: [
            .pageSize, .pageToken, .perPage,
            .query("client_name", "Only returns the clients with exactly this name."),
            .query("owner", "Only returns the clients of exactly this owner."),
        ],
        [APIResponse(200, "The clients.", .array(client), headers: [.link])]
    )

    static let createClient = APIOperation(
        "createOAuth2Client",
        "Registers an OAuth client.",
        details: "The response contains the client's secret. It cannot be read again.",
        body: body,
        [
            APIResponse(201, "The client.", client, headers: [.location]),
            .refusal(409, "Another client has this client_id."),
        ]
    )

    static let getClient = APIOperation(
        "getOAuth2Client",
        "Returns an OAuth client, without its secret.",
        parameters: [id],
        [found, unknown]
    )

    static let replaceClient = APIOperation(
        "setOAuth2Client",
        "Replaces an OAuth client with the body. Omitted members get their default values, except the secret.",
        parameters: [id],
        body: body,
        [found, unknown]
    )

    static let patchClient = APIOperation(
        "patchOAuth2Client",
        "Updates an OAuth client with a JSON patch (RFC 6902).",
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
        [found, unknown]
    )

    static let deleteClient = APIOperation(
        "deleteOAuth2Client",
        "Deletes an OAuth client and ends its grants.",
        parameters: [id],
        [APIResponse(204, "Deleted."), unknown]
    )

    static let setClientLifespans = APIOperation(
        "setOAuth2ClientLifespans",
        "Replaces the lifespans of a client's tokens. Omitted lifespans are removed.",
        parameters: [id],
        body: APIBody(
            schema: .object(ClientMetadata.Lifespan.allCases.map { .optional($0.rawValue, .lifespan) })
        ),
        [found, unknown]
    )

    static let rotateClientSecret = APIOperation(
        "rotateOAuth2ClientSecret",
        "Gives a client a new secret, while its earlier one stays valid for some time.",
        parameters: [id],
        body: APIBody(
            schema: .object([
                .optional("client_secret", .text), .optional("previous_secret_lifespan", .text),
            ]),
            isRequired: false
        ),
        [found, unknown]
    )

    static let deleteRotatedClientSecrets = APIOperation(
        "deleteRotatedOAuth2ClientSecrets",
        "Ends the validity of the secret that a client had before its last rotation.",
        parameters: [id],
        [found, unknown]
    )
}
