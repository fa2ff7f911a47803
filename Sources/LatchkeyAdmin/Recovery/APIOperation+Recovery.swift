import LatchkeyServerKit
import LatchkeyWire

extension APIOperation {
    /// Corresponds to Kratos's `createRecoveryCodeForIdentity` operation.
    ///
    /// Unknown members in the body are rejected.
    static let createRecoveryCode = APIOperation(
        "createRecoveryCodeForIdentity",
        "Creates a recovery code for an account and returns it, so that the operator can pass it on to the owner.",
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
                "The recovery code and the link to the page where it is entered.",
                .object([
                    .required("recovery_link", .text), .required("recovery_code", .matching("^[0-9]{6}$")),
                    .required("expires_at", .time),
                ])
            ),
            .refusal(404, "The identity does not exist, or recovery is disabled."),
        ]
    )
}
