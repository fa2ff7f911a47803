import LatchkeyServerKit
import LatchkeyWire

extension APIOperation {
    /// The operation that ``SessionEventEndpoints`` handles.
    ///
    /// This operation isn't part of Kratos's API.
    static let sessionEvents = APIOperation(
        "getSessionEvents",
        "Reports changes to the current session as they happen.",
        details: """
            If the request contains `Accept: text/event-stream`, the response is a stream of server-sent \
            events. The first event is `state`, followed by `identity_changed`, `transactions_changed` and \
            `duties_changed` events. The stream ends after a `session_ended` event, or without one when the session token has been \
            replaced or the server needs the connection. To resume a stream, send `Last-Event-ID`; \
            the server then sends events for everything that has changed since. Without the `Accept` header \
            field, the request is a long poll.
            """,
        parameters: [
            .query("after", "The `last_id` of the previous poll. Without it, the server responds at once."),
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
                "A stream of events or, for a poll, a list of events, which is empty after the wait.",
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
