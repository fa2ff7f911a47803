/// The OpenAPI description of a response: its status, its header fields and its body.
package struct APIResponse: Sendable {
    /// A header field of the response.
    package struct Header: Sendable {
        package let name: String
        package let summary: String
        package let schema: JSONSchema
        /// Whether the field is always present.
        package let isRequired: Bool
    }

    package let status: Int
    package let summary: String

    /// The schema of the body; `nil` if there is no body.
    package let schema: JSONSchema?

    package var mediaType = "application/json"
    package var headers: [Header] = []

    package init(
        _ status: Int,
        _ summary: String,
        _ schema: JSONSchema? = nil,
        mediaType: String = "application/json",
        headers: [Header] = []
    ) {
        self.status = status
        self.summary = summary
        self.schema = schema
        self.mediaType = mediaType
        self.headers = headers
    }

    /// Creates the response for an error, whose body is the error envelope.
    package static func refusal(_ status: Int, _ summary: String, headers: [Header] = []) -> APIResponse {
        APIResponse(status, summary, .error, headers: headers)
    }

    /// The error responses that every operation may return.
    package static let general: [APIResponse] = [
        .refusal(400, "The request is malformed: its framing, its target, its query or its body."),
        .refusal(413, "The body is larger than this place takes."),
        .refusal(431, "The header is larger than the server takes."),
        .refusal(
            500,
            "The server made a mistake. It is in the server's log; the answer holds nothing of it."
        ),
        .refusal(
            503,
            "The server has too much to do, its database is away, or it is stopping.",
            headers: [.retryAfter]
        ),
    ]

    /// The additional error responses of operations that require the admin token.
    package static let administrative: [APIResponse] = [
        .refusal(401, "The admin token is missing or wrong."),
        .refusal(415, "The body is not JSON."),
        .refusal(429, "There are too many requests without the admin token.", headers: [.retryAfter]),
    ]

    /// The response to a request that exceeds a rate limit.
    package static let tooManyRequests = APIResponse.refusal(
        429,
        "A limit of codes, guesses or failed logins was reached (`too_many_requests`).",
        headers: [.retryAfter]
    )
}

extension APIResponse.Header {
    package static let retryAfter = APIResponse.Header(
        name: "Retry-After",
        summary: "In how many seconds to try again.",
        schema: .integer(minimum: 1, maximum: nil),
        isRequired: false
    )
    package static let link = APIResponse.Header(
        name: "Link",
        summary: "The way to the first and the next page (RFC 8288).",
        schema: .text,
        isRequired: true
    )
    package static let location = APIResponse.Header(
        name: "Location",
        summary: "Where it is.",
        schema: .text,
        isRequired: true
    )
}
