import LatchkeyServerKit
import LatchkeyWire

extension APIOperation {
    /// The operation of ``SessionEventEndpoints``, which Kratos does not have.
    static let sessionEvents = APIOperation(
        "getSessionEvents",
        "Reports changes of the current session as they happen.",
        details: """
            With `Accept: text/event-stream`, the response is a stream of server-sent events: `state` first, then \
            `session_ended`, `identity_changed` and `transactions_changed`. After `session_ended` the stream ends. \
            `Last-Event-ID` resumes: the server sends the difference between that state and the present one. Without \
            the header field, the request is a long poll.
            """,
        credential: .session(isRequired: true),
        parameters: [
            .query("after", "The `last_id` of the previous poll; without it, the response is immediate."),
            .query(
                "wait",
                "How many seconds a poll waits for an event. Default: 25.",
                .integer(minimum: 0, maximum: 60)
            ),
            .header("Last-Event-ID", "The id of the last event of the previous stream."),
        ],
        [
            APIResponse(
                200,
                "The events of a poll, which are empty after the wait, or a stream of events.",
                .object([
                    .required(
                        "events",
                        .array(
                            .object([
                                .required("id", .text), .required("type", .oneOf(SessionEventType.allCases)),
                            ])
                        )
                    ),
                    .required("last_id", .text),
                ]),
                streamType: ServerSentEvent.mediaType
            ),
            .refusal(401, "`session_inactive`: the request has no active session."),
            .refusal(
                403,
                "`device_certificate_required`: the session requires a device certificate before it can be used."
            ),
            .refusal(
                429,
                "`too_many_requests`: the session, the account or the server has too many open streams.",
                headers: [.retryAfter]
            ),
        ]
    )
}
