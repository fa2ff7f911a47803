import LatchkeyServerKit
import LatchkeyWire

extension APIOperation {
    /// Deletes the account that the session belongs to.
    ///
    /// This operation isn't part of Kratos's API.
    static let deleteOwnAccount = APIOperation(
        "deleteMyAccount",
        "Deletes the user's own account.",
        details: """
            The account is disabled immediately: all of its sessions, tokens, certificates, codes and flows \
            stop working, including the session of this request. The account is erased at the time given in \
            the response. Until then, a login or a recovery cancels the deletion. The user is notified of \
            the deletion and of its cancellation. If the request is repeated, the response has status 401 \
            because the session has been revoked.
            """,
        [
            APIResponse(
                202,
                "The account is disabled and will be erased.",
                .component(.accountDeletion)
            ),
            .noSession, .tooManyRequests,
            .refusal(
                403,
                """
                `session_refresh_required`: the last login is too old. `another_proof_required`: the user \
                recovered the account, or logged in with only a code although the account has a password or \
                another proven address; log in again with `refresh=true`, using the password or a code sent \
                to another address. `device_certificate_required`: the session requires a device certificate \
                before it can be used.
                """
            ),
        ]
    )

    /// Exports the data of the account that the session belongs to.
    ///
    /// This operation isn't part of Kratos's API.
    static let exportOwnAccount = APIOperation(
        "exportMyAccount",
        "Returns the data that the server stores about the user's own account.",
        details: """
            The body is streamed with chunked transfer coding. If the connection is closed before the last chunk \
            arrives, the export is incomplete.
            """,
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
    /// The response to deleting the user's own account.
    fileprivate static let accountDeletion = SchemaComponent(
        "AccountDeletion",
        "The deletion of an account.",
        .object([.required("deletion_at", .time)])
    )
}
