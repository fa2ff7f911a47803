import LatchkeyAccounts
import LatchkeyServerKit

extension APIOperation {
    private static let session = JSONSchema.component(.administeredSession)
    private static let id = APIParameter.path("id", "The session's id.", .uuid)
    private static let identity = APIParameter.path("id", "The identity's id.", .uuid)
    private static let expand = APIParameter.query(
        "expand",
        "A part of the session to include; repeat the parameter for several parts.",
        .oneOf(SessionPart.allCases)
    )
    private static let active = APIParameter.query(
        "active",
        "Returns only active or only inactive sessions.",
        .boolean
    )
    private static let unknown = APIResponse.refusal(404, "The session does not exist.")

    /// The operation `listSessions` of Kratos.
    static let listSessions = APIOperation(
        "listSessions",
        "Lists sessions.",
        parameters: [.pageSize, .pageToken, active, expand],
        [APIResponse(200, "The sessions.", .array(session), headers: [.link])]
    )

    /// The operation that applies one ``SessionBulkChange``.
    static let manageSessions = APIOperation(
        "manageSessions",
        "Revokes or deletes several sessions.",
        details: """
            The body names up to \(SessionBulkChange.mostIDs) sessions or identities, or all with `"identities": ["*"]`. \
            A request changes up to \(SessionBulkChange.batch) sessions. As long as `more` is true, repeat it to change \
            the remaining ones.
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
                "The number of revoked or deleted sessions, and whether more remain.",
                .object([
                    .required("processed", .integer(minimum: 0, maximum: nil)), .required("more", .boolean),
                ])
            )
        ]
    )

    static let getSession = APIOperation(
        "getSession",
        "Returns a session.",
        parameters: [id, expand],
        [APIResponse(200, "The session.", session), unknown]
    )

    /// The operation `disableSession` of Kratos; it also succeeds for a session that has ended.
    static let revokeSession = APIOperation(
        "disableSession",
        "Revokes a session.",
        parameters: [id],
        [APIResponse(204, "Revoked."), unknown]
    )

    /// The operation `extendSession` of Kratos; the response is the session, whether or not it could be
    /// extended.
    static let extendSession = APIOperation(
        "extendSession",
        "Extends a session.",
        parameters: [id],
        [APIResponse(200, "The session.", session), unknown]
    )

    /// The operation `listIdentitySessions` of Kratos.
    ///
    /// All parts of the sessions are included. An unknown identity has an empty list.
    static let listIdentitySessions = APIOperation(
        "listIdentitySessions",
        "Lists the sessions of an identity.",
        parameters: [identity, .pageSize, .pageToken, .page, .perPage, active],
        [APIResponse(200, "The sessions.", .array(session), headers: [.link])]
    )

    /// The operation `deleteIdentitySessions` of Kratos; the sessions are revoked and not deleted.
    static let revokeIdentitySessions = APIOperation(
        "deleteIdentitySessions",
        "Revokes all sessions of an identity.",
        parameters: [identity],
        [
            APIResponse(204, "Revoked."),
            .refusal(404, "The identity does not exist."),
        ]
    )
}
