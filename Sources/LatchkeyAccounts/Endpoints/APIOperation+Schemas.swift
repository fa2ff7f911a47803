import LatchkeyServerKit

extension APIOperation {
    /// The operation `listIdentitySchemas` of Kratos, which needs no credential.
    static let listSchemas = APIOperation(
        "listIdentitySchemas",
        "Lists the identity schemas.",
        parameters: [.pageSize, .pageToken, .page, .perPage],
        [
            APIResponse(
                200,
                "The schemas.",
                .array(.object([.required("id", .text), .required("schema", .anyObject)])),
                headers: [.link]
            )
        ]
    )

    /// The operation `getIdentitySchema` of Kratos; the document describes its response only as an object.
    static let getSchema = APIOperation(
        "getIdentitySchema",
        "Returns an identity schema.",
        parameters: [.path("id", "The schema's id, plain or in base64url.", .text)],
        [
            APIResponse(200, "The schema (JSON Schema with annotations).", .anyObject),
            .refusal(404, "The identity schema does not exist."),
        ]
    )
}
