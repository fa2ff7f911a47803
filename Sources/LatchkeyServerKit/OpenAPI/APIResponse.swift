package import LatchkeyWire

/// The OpenAPI description of a response, including its status, header fields and body.
package struct APIResponse: Sendable {
    /// A header field that a response may contain.
    package struct Header: Sendable {
        package let name: String
        package let summary: String
        package let schema: JSONSchema
        /// Whether the header field is always present in the response.
        package let isRequired: Bool

        /// Creates a header field.
        ///
        /// Names of header fields are not case-sensitive.
        package init(name: String, summary: String, schema: JSONSchema, isRequired: Bool) {
            self.name = name
            self.summary = summary
            self.schema = schema
            self.isRequired = isRequired
        }
    }

    /// The status code.
    package let status: Int
    /// A one-sentence description of the response.
    package let summary: String

    /// The schema of the body, or `nil` if there is no body.
    package var schema: JSONSchema?

    /// The media type of the body.
    package var mediaType = "application/json"
    /// The media type of the body if the client asks for a stream, or `nil` if streaming isn't supported.
    package var streamType: String?
    /// The header fields that are specific to this response.
    package var headers: [Header] = []

    /// Creates the description of a response.
    ///
    /// If `schema` is `nil`, the response has no body.
    package init(
        _ status: Int,
        _ summary: String,
        _ schema: JSONSchema? = nil,
        mediaType: String = "application/json",
        streamType: String? = nil,
        headers: [Header] = []
    ) {
        self.status = status
        self.summary = summary
        self.schema = schema
        self.mediaType = mediaType
        self.streamType = streamType
        self.headers = headers
    }

    /// Creates an error response with the error envelope as its body.
    ///
    /// - Parameters:
    ///   - status: The status code, which must be 400 or above.
    ///   - summary: The cause of the error, including the error id if there is one.
    ///   - headers: Additional header fields, such as `Retry-After`.
    /// - Returns: The description of an error response.
    package static func refusal(_ status: Int, _ summary: String, headers: [Header] = []) -> APIResponse {
        APIResponse(status, summary, .error, headers: headers)
    }

    /// Returns a copy with an additional header field.
    func with(_ header: Header) -> APIResponse {
        var copy = self
        copy.headers.append(header)
        return copy
    }

    /// The error responses that any operation may return.
    package static let general: [APIResponse] = [
        .refusal(400, "The framing, target, query or body of the request is malformed."),
        .refusal(413, "The request body is larger than this endpoint accepts."),
        .refusal(431, "The request header is larger than the server accepts."),
        .refusal(
            500,
            "An internal server error occurred. The details are only in the server's log."
        ),
        .refusal(
            503,
            "The server is overloaded or shutting down, or its database is unavailable.",
            headers: [.retryAfter]
        ),
    ]

    /// The additional error responses that operations with the admin token may return.
    package static let administrative: [APIResponse] = [
        .refusal(401, "The admin token is missing or invalid."),
        .refusal(415, "The body is not JSON."),
        .refusal(429, "Too many requests were sent without a valid admin token.", headers: [.retryAfter]),
    ]

    /// The response of a route that is closed while a duty of the session's account blocks.
    static let dutyRequired = APIResponse.refusal(
        403,
        "The user has to complete the step in `duty` first (`duty_required`). All steps are in `details`."
    )

    /// The response to requests that exceed a rate limit.
    package static let tooManyRequests = APIResponse.refusal(
        429,
        "A rate limit on codes, attempts or failed logins was exceeded (`too_many_requests`).",
        headers: [.retryAfter]
    )
}

extension APIResponse.Header {
    /// How long the client should wait before repeating the request (RFC 9110, section 10.2.3).
    package static let retryAfter = APIResponse.Header(
        name: "Retry-After",
        summary: "The number of seconds to wait before trying again.",
        schema: .integer(minimum: 1, maximum: nil),
        isRequired: false
    )
    /// How the client can authenticate (RFC 9110, section 11.6.1).
    static let challenge = APIResponse.Header(
        name: AuthenticationChallenge.header,
        summary: "The authentication schemes that the route accepts.",
        schema: .text,
        isRequired: true
    )
    /// Links to other pages of a list.
    package static let link = APIResponse.Header(
        name: "Link",
        summary: "Links to the first and the next page (RFC 8288).",
        schema: .text,
        isRequired: true
    )
    /// The URL of a newly created resource (RFC 9110, section 10.2.2).
    package static let location = APIResponse.Header(
        name: "Location",
        summary: "The URL of the resource.",
        schema: .text,
        isRequired: true
    )
}
