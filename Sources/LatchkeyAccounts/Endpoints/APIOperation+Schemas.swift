import LatchkeyServerKit
import LatchkeyWire

extension APIOperation {
    /// Kratos's `listIdentitySchemas` operation, which doesn't require credentials.
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

    /// Kratos's `getIdentitySchema` operation.
    ///
    /// The OpenAPI document only says that the response is an object.
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
