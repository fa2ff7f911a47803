extension APIOperation {
    static let createRecoveryCode = APIOperation(
        "createRecoveryCodeForIdentity",
        "Makes a code with which the owner of an account gets back in, to be handed over by other means.",
        body: APIBody(
            schema: .object(
                [
                    .required("identity_id", .uuid),
                    .optional("expires_in", .matching("^([0-9]{1,9}(h|m|s|ms))+$")),
                    .optional("flow_type", .oneOf("api", "browser")),
                ]
            )
        ),
        [
            APIResponse(
                201,
                "The code, and where to enter it.",
                .object([
                    .required("recovery_link", .text), .required("recovery_code", .matching("^[0-9]{6}$")),
                    .required("expires_at", .time),
                ])
            ),
            .refusal(404, "There is no such identity, or recovery is switched off."),
        ]
    )
}
