import LatchkeyServerKit
import LatchkeyWire

extension APIOperation {
    /// Kratos's `createBrowserLogoutFlow` operation.
    static let beginLogout = APIOperation(
        "createBrowserLogoutFlow",
        "Returns the address at which a browser logs out.",
        parameters: [.query("return_to", "The URL to return to; must be an allowed return URL.")],
        [
            APIResponse(
                200,
                "The address.",
                .object([.required("logout_url", .text), .required("logout_token", .text)])
            ),
            .redirection,
            .refusal(400, "`self_service_flow_return_to_forbidden`: the return URL is not allowed."),
            .refusal(401, "`session_inactive`: the request has no active session."),
        ]
    )

    /// Kratos's `updateLogoutFlow` operation.
    static let finishLogout = APIOperation(
        "updateLogoutFlow",
        "Logs a browser out.",
        parameters: [
            .query("token", "The logout token of the browser's session."),
            .query("return_to", "The URL to return to; must be an allowed return URL."),
        ],
        [
            APIResponse(204, "The session has ended."),
            .redirection,
            .refusal(400, "The return URL is not allowed, or the token is missing."),
            .refusal(401, "`session_inactive`: the request has no active session."),
            .refusal(403, "The token belongs to another session."),
        ]
    )
}
