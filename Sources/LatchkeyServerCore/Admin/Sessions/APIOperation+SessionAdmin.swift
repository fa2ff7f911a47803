extension APIOperation {
    private static let session = JSONSchema.component(.administeredSession)
    private static let id = APIParameter.path("id", "The session's id.", .uuid)
    private static let identity = APIParameter.path("id", "The identity's id.", .uuid)
    private static let expand = APIParameter.query(
        "expand",
        "What to write out; given once for each part.",
        .oneOf(SessionPart.allCases)
    )
    private static let active = APIParameter.query(
        "active",
        "Only those that are alive, or that are not.",
        .boolean
    )
    private static let unknown = APIResponse.refusal(404, "There is no such session.")

    static let listSessions = APIOperation(
        "listSessions",
        "Lists sessions.",
        parameters: [.pageSize, .pageToken, active, expand],
        [APIResponse(200, "The sessions.", .array(session), headers: [.link])]
    )

    static let manageSessions = APIOperation(
        "manageSessions",
        "Ends or deletes many sessions.",
        details: """
            Names either up to \(SessionBulkChange.mostIDs) sessions, or as many identities, or all by `"identities": ["*"]`. \
            One request changes up to \(SessionBulkChange.batch) sessions; as long as `more` is true, the same request \
            goes on.
            """,
        body: APIBody(
            schema: .object(
                [
                    .required("action", .oneOf(SessionBulkChange.Action.allCases)),
                    .optional("sessions", .array(.uuid, most: SessionBulkChange.mostIDs)),
                    .optional("identities", .array(.text, most: SessionBulkChange.mostIDs)),
                ]
            )
        ),
        [
            APIResponse(
                200,
                "How many sessions were ended or deleted, and whether there are more.",
                .object([
                    .required("processed", .integer(minimum: 0, maximum: nil)), .required("more", .boolean),
                ])
            )
        ]
    )

    static let getSession = APIOperation(
        "getSession",
        "Shows a session.",
        parameters: [id, expand],
        [APIResponse(200, "The session.", session), unknown]
    )

    static let revokeSession = APIOperation(
        "disableSession",
        "Ends a session.",
        parameters: [id],
        [APIResponse(204, "It is over."), unknown]
    )

    static let extendSession = APIOperation(
        "extendSession",
        "Lets a session's life begin anew.",
        parameters: [id],
        [APIResponse(200, "The session.", session), unknown]
    )

    static let listIdentitySessions = APIOperation(
        "listIdentitySessions",
        "Lists the sessions of an identity.",
        parameters: [identity, .pageSize, .pageToken, .page, .perPage, active],
        [APIResponse(200, "The sessions.", .array(session), headers: [.link])]
    )

    static let revokeIdentitySessions = APIOperation(
        "deleteIdentitySessions",
        "Ends all sessions of an identity.",
        parameters: [identity],
        [
            APIResponse(204, "They are over."),
            .refusal(404, "The identity does not exist."),
        ]
    )
}
