import LatchkeyServerKit

extension APIOperation {
    /// Kratos's operation `listIdentitySchemas`, which requires no credential.
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

    /// Kratos's operation `getIdentitySchema`.
    ///
    /// The OpenAPI document describes the response only as an object.
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
