extension APIOperation {
    static let whoami = APIOperation(
        "toSession",
        "Tells whose session it is.",
        credential: .session(isRequired: true),
        parameters: [
            .query(
                "tokenize_as",
                "Refused: there are no templates of tokens; see the token endpoint.",
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

    static let logout = APIOperation(
        "performNativeLogout",
        "Ends a session; doing it again changes nothing.",
        body: APIBody(schema: .object([.required("session_token", .text)], isOpen: true)),
        [
            APIResponse(204, "The session is over."),
            .refusal(403, "No active session was found for this token."),
        ]
    )

    static let listOwnSessions = APIOperation(
        "listMySessions",
        "Lists the other sessions of somebody who are alive.",
        credential: .session(isRequired: true),
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
                        summary: "How many there are on all pages.",
                        schema: .integer(minimum: 0, maximum: nil),
                        isRequired: true
                    ),
                ]
            ),
            .noSession, .certificateRequired,
        ]
    )

    static let endOtherSessions = APIOperation(
        "disableMyOtherSessions",
        "Ends the other sessions of somebody.",
        credential: .session(isRequired: true),
        [
            APIResponse(
                200,
                "How many were ended.",
                .object([.required("count", .integer(minimum: 0, maximum: nil))])
            ),
            .noSession, .certificateRequired,
        ]
    )

    static let endOwnSession = APIOperation(
        "disableMySession",
        "Ends one of the other sessions of somebody.",
        credential: .session(isRequired: true),
        parameters: [.path("id", "The session's id.", .uuid)],
        [
            APIResponse(204, "It is over, or none of theirs."),
            .refusal(400, "It is the session that asks, or no id."), .noSession, .certificateRequired,
        ]
    )
}

extension APIResponse {
    fileprivate static let noSession = APIResponse.refusal(
        401,
        "The request came without a session that is alive."
    )
    fileprivate static let certificateRequired = APIResponse.refusal(
        403,
        "`device_certificate_required`: the session waits for the certificate of its device."
    )
}
