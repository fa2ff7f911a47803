extension APIOperation {
    /// The operation of ``VersionEndpoint``.
    static let version = APIOperation(
        "getVersion",
        "The server's version, the contract that it speaks, and the time there.",
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
