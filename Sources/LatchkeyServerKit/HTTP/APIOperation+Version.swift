import LatchkeyWire

extension APIOperation {
    /// The description of ``VersionEndpoint`` in the OpenAPI document.
    static let version = APIOperation(
        "getVersion",
        "Returns the version of the server, the version of its API contract and its current time.",
        [
            APIResponse(
                200,
                "The version.",
                .object([
                    .required("version", .text), .required("contract", .integer(minimum: 1, maximum: nil)),
                    .required("time", .time),
                ])
            )
        ]
    )
}
