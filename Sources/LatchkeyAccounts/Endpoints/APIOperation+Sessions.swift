import LatchkeyServerKit
import LatchkeyWire

extension APIOperation {
    /// Kratos's `toSession` operation.
    ///
    /// The `tokenize_as` parameter must be empty.
    static let whoami = APIOperation(
        "toSession",
        "Returns the current session and its identity.",
        details: "A key-bound access token must be sent with a DPoP proof (RFC 9449, section 7).",
        parameters: [
            .query(
                "tokenize_as",
                "Not supported; use the token endpoint instead.",
                .oneOf("")
            )
        ],
        [
            APIResponse(
                200,
                "The session.",
                .component(.session),
                headers: [
                    APIResponse.Header(
                        name: "X-Kratos-Authenticated-Identity-Id",
                        summary: "The identity's id.",
                        schema: .uuid,
                        isRequired: true
                    )
                ]
            ),
            .noSession, .certificateRequired,
        ]
    )

    /// Kratos's `performNativeLogout` operation.
    ///
    /// The token is sent in the body instead of a header field.
    static let logout = APIOperation(
        "performNativeLogout",
        "Revokes a session. The operation is idempotent.",
        body: APIBody(schema: .object([.required("session_token", .text)], isOpen: true)),
        [
            APIResponse(204, "The session was revoked."),
            .refusal(403, "No active session was found for this token."),
        ]
    )

    /// Kratos's `listMySessions` operation, which leaves out the current session.
    static let listOwnSessions = APIOperation(
        "listMySessions",
        "Lists the user's other active sessions.",
        parameters: [.pageSize, .pageToken, .page, .perPage],
        [
            APIResponse(
                200,
                "The sessions.",
                .array(.component(.session)),
                headers: [
                    .link,
                    APIResponse.Header(
                        name: "X-Total-Count",
                        summary: "The number of sessions on all pages.",
                        schema: .integer(minimum: 0, maximum: nil),
                        isRequired: true
                    ),
                ]
            ),
            .noSession, .certificateRequired,
        ]
    )

    /// Kratos's `disableMyOtherSessions` operation.
    static let endOtherSessions = APIOperation(
        "disableMyOtherSessions",
        "Revokes the user's other sessions.",
        [
            APIResponse(
                200,
                "The number of revoked sessions, including unlisted ones that are waiting for a device certificate.",
                .object([.required("count", .integer(minimum: 0, maximum: nil))])
            ),
            .noSession, .certificateRequired,
        ]
    )

    /// Kratos's `disableMySession` operation, which rejects the id of the current session.
    static let endOwnSession = APIOperation(
        "disableMySession",
        "Revokes one of the user's other sessions.",
        parameters: [.path("id", "The session's id.", .uuid)],
        [
            APIResponse(204, "The session was revoked or is not one of the user's sessions."),
            .refusal(400, "The id is invalid or belongs to the current session."), .noSession,
            .certificateRequired,
        ]
    )
}

extension APIResponse {
    fileprivate static let noSession = APIResponse.refusal(
        401,
        "The request has no active session."
    )
    fileprivate static let certificateRequired = APIResponse.refusal(
        403,
        "`device_certificate_required`: the session requires a device certificate before it can be used."
    )
}
