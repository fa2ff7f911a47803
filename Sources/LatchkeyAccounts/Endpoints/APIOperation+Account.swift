import LatchkeyServerKit

extension APIOperation {
    /// The deletion of the own account; not part of Kratos's API.
    static let deleteOwnAccount = APIOperation(
        "deleteMyAccount",
        "Deletes the user's own account.",
        details: """
            The account is disabled at once: all sessions and tokens, including that of the request, certificates, \
            codes and flows end. It is erased after a delay, at the time in the response. Until then, a login or a \
            recovery cancels the deletion. The user is notified of both. If the response is lost, the repeated \
            request is answered with 401, because the session has ended.
            """,
        credential: .session(isRequired: true),
        [
            APIResponse(
                202,
                "The account is disabled, and will be erased.",
                .component(.accountDeletion)
            ),
            .noSession, .tooManyRequests,
            .refusal(
                403,
                """
                `session_refresh_required`: the last login is too old. `another_proof_required`: the session was \
                opened by a recovery, or by a code alone although the account has a password or another proven address; \
                the user has to log in again, with `refresh=true`, with the password or with a code to another address. \
                `device_certificate_required`: the session requires a device certificate before it can be used.
                """
            ),
        ]
    )

    /// The export of the own account; not part of Kratos's API.
    static let exportOwnAccount = APIOperation(
        "exportMyAccount",
        "Returns the data that the server stores about the user's own account.",
        details: """
            The body is produced while it is sent, with chunked transfer coding. A connection that is closed before the \
            last chunk marks an incomplete export.
            """,
        credential: .session(isRequired: true),
        [
            APIResponse(
                200,
                "The data, without secrets and without data about other people.",
                .component(.accountExport),
                headers: [
                    APIResponse.Header(
                        name: "Content-Disposition",
                        summary: "A file name for the download.",
                        schema: .text,
                        isRequired: true
                    )
                ]
            ),
            .noSession, .tooManyRequests,
            .refusal(
                403,
                """
                `session_refresh_required`: the last login is too old. `device_certificate_required`: the session \
                requires a device certificate before it can be used.
                """
            ),
        ]
    )
}

extension APIResponse {
    fileprivate static let noSession = APIResponse.refusal(
        401,
        "`session_inactive`: the request has no active session."
    )
}

extension SchemaComponent {
    /// The response to the deletion of the own account.
    fileprivate static let accountDeletion = SchemaComponent(
        "AccountDeletion",
        "The deletion of an account.",
        .object([.required("deletion_at", .time)])
    )
}
