extension APIOperation {
    /// The operation of ``VersionEndpoint``.
    static let version = APIOperation(
        "getVersion",
        "Returns the server's version, API contract and time.",
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
