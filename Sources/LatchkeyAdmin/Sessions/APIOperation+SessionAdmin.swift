import LatchkeyAccounts
import LatchkeyServerKit
import LatchkeyWire

extension APIOperation {
    private static let session = JSONSchema.component(.administeredSession)
    private static let id = APIParameter.path("id", "The session's id.", .uuid)
    private static let identity = APIParameter.path("id", "The identity's id.", .uuid)
    private static let expand = APIParameter.query(
        "expand",
        "Related data to include with each session; repeat the parameter to include several kinds of data.",
        .oneOf(SessionPart.allCases)
    )
    private static let active = APIParameter.query(
        "active",
        "If true, returns only active sessions; if false, only inactive sessions.",
        .boolean
    )
    private static let unknown = APIResponse.refusal(404, "The session does not exist.")

    /// Corresponds to Kratos's `listSessions` operation.
    static let listSessions = APIOperation(
        "listSessions",
        "Lists sessions.",
        parameters: [.pageSize, .pageToken, active, expand],
        [APIResponse(200, "The sessions.", .array(session), headers: [.link])]
    )

    /// Performs a ``SessionBulkChange``.
    static let manageSessions = APIOperation(
        "manageSessions",
        "Revokes or deletes several sessions.",
        details: """
            The body lists up to \(SessionBulkChange.mostIDs) sessions or identities; `"identities": ["*"]` selects all \
            sessions, of which one request changes up to \(SessionBulkChange.batch). As long as `more` is true, repeat \
            the request to change the remaining sessions.
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

    /// Corresponds to Kratos's `disableSession` operation.
    ///
    /// The operation succeeds even if the session has already ended.
    static let revokeSession = APIOperation(
        "disableSession",
        "Revokes a session.",
        parameters: [id],
        [APIResponse(204, "Revoked."), unknown]
    )

    /// Corresponds to Kratos's `extendSession` operation.
    ///
    /// The operation returns the session even if it wasn't extended.
    static let extendSession = APIOperation(
        "extendSession",
        "Extends a session.",
        parameters: [id],
        [APIResponse(200, "The session.", session), unknown]
    )

    /// Corresponds to Kratos's `listIdentitySessions` operation.
    ///
    /// Each session includes its identity and devices. If the identity doesn't exist, the list is empty.
    static let listIdentitySessions = APIOperation(
        "listIdentitySessions",
        "Lists the sessions of an identity.",
        parameters: [identity, .pageSize, .pageToken, .page, .perPage, active],
        [APIResponse(200, "The sessions.", .array(session), headers: [.link])]
    )

    /// Corresponds to Kratos's `deleteIdentitySessions` operation.
    ///
    /// The operation revokes the sessions but doesn't delete them.
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
