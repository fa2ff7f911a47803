package import LatchkeyModel
package import LatchkeyWire

/// An error that the client receives in the error envelope (`contract/kratos.md`, 1.6).
///
/// Handlers throw it and the router converts it to a response. All of its content is sent to the client, so
/// it must not contain secrets or internal details.
package struct ServerError: Error, Sendable {
    /// The flow that replaces an expired or completed flow.
    package struct Replacement: Sendable {
        /// The id of the new flow, with which the client continues.
        package let flow: Identifier

        /// The expiry of the old flow; `nil` omits `expired_at` and `since` from the envelope.
        package let expiredAt: Timestamp?

        /// The time of the request, from which `since` is computed.
        package let now: Timestamp

        /// Creates a replacement; omit `expiredAt` if the old flow was completed rather than expired.
        package init(flow: Identifier, expiredAt: Timestamp? = nil, now: Timestamp) {
            self.flow = flow
            self.expiredAt = expiredAt
            self.now = now
        }
    }

    /// The HTTP status of the response.
    package let status: Int

    /// The status code in the body, which differs from the HTTP status in the same cases as in Kratos.
    package let code: Int

    /// The stable id of the error, which many of Kratos's errors lack.
    package let id: ErrorID?

    /// The cause, as a sentence for developers.
    package let reason: String?

    /// The seconds after which the client may retry, for the `Retry-After` header field.
    package let retryAfter: Int?

    /// The replacement for an expired or completed flow, written beside `error` in the envelope.
    package let replacement: Replacement?

    /// The `continue_with` actions in the envelope's details.
    package let continuation: [ContinueWith]

    /// The `redirect_browser_to` address, written beside `error` in the envelope.
    package let browserLocation: String?

    /// Further header fields of the response, such as `WWW-Authenticate`.
    package let headers: HTTP.Headers

    /// Creates an error.
    ///
    /// - Parameters:
    ///   - status: The HTTP status of the response.
    ///   - id: The stable id; `nil` omits it.
    ///   - code: The status in the body; `nil` means the same as `status`.
    ///   - reason: The cause, as a sentence for developers; `nil` omits it.
    ///   - retryAfter: The seconds after which the client may retry; `nil` omits the header field.
    ///   - replacement: The flow to continue with; `nil` if there is none.
    ///   - continuation: The next actions; an empty list omits `details`.
    ///   - browserLocation: The address for `redirect_browser_to`; `nil` omits it.
    ///   - headers: Further header fields of the response.
    package init(
        _ status: Int,
        id: ErrorID? = nil,
        code: Int? = nil,
        reason: String? = nil,
        retryAfter: Int? = nil,
        replacement: Replacement? = nil,
        continuation: [ContinueWith] = [],
        browserLocation: String? = nil,
        headers: HTTP.Headers = [:]
    ) {
        self.status = status
        self.code = code ?? status
        self.id = id
        self.reason = reason
        self.retryAfter = retryAfter
        self.replacement = replacement
        self.continuation = continuation
        self.browserLocation = browserLocation
        self.headers = headers
    }
}

extension ServerError {
    /// A 400 for a request that cannot be parsed or validated.
    ///
    /// - Parameter reason: A sentence for developers, without secrets.
    /// - Returns: The error with status 400 and without an id.
    package static func malformed(_ reason: String) -> ServerError {
        ServerError(400, reason: reason)
    }

    /// A 404 for a resource that does not exist or is not visible to the caller.
    package static let notFound = ServerError(404)

    /// A 410 for a flow that has expired or was already completed.
    package static func flowExpired(_ replacement: Replacement?) -> ServerError {
        ServerError(
            410,
            id: .flowExpired,
            reason: replacement == nil
                ? "The flow has expired. Start a new one."
                : "The flow has expired. Continue with the flow in use_flow_id, or start a new one.",
            replacement: replacement
        )
    }

    /// A 410 for a flow that was completed or has no attempts left, and that has a replacement.
    package static func flowReplaced(_ replacement: Replacement) -> ServerError {
        ServerError(
            410,
            id: .flowReplaced,
            reason: "The flow was replaced. Continue with the flow in use_flow_id.",
            replacement: replacement
        )
    }

    /// A 429 for an exceeded rate limit.
    ///
    /// - Parameter retryAfter: The number of seconds to wait, at least 1.
    /// - Returns: The error, with `Retry-After` and the id `too_many_requests`.
    package static func tooManyRequests(retryAfter: Int) -> ServerError {
        ServerError(
            429,
            id: .tooManyRequests,
            reason: "Too many attempts. Try again in \(retryAfter) s.",
            retryAfter: retryAfter
        )
    }

    /// A 503 for temporary overload.
    ///
    /// The error has no id. The client can repeat the same request after `retryAfter` seconds.
    package static func overloaded(retryAfter: Int = 1) -> ServerError {
        ServerError(503, reason: "The server is overloaded. Try again shortly.", retryAfter: retryAfter)
    }

    /// Converts any error that a handler threw.
    ///
    /// An unexpected error becomes a bare 500, so that no internal detail reaches the client.
    init(anything error: any Error) {
        switch error {
        case let error as ServerError:
            self = error
        case let error as any ServerErrorConvertible:
            self = error.serverError
        default:
            self = ServerError(500)
        }
    }
}
