package import LatchkeyModel
package import LatchkeyWire

/// An error that is returned to the client in the error envelope (`contract/kratos.md`, 1.6).
///
/// Handlers throw this error and the router turns it into a response. All members are sent to the client, so
/// none of them may contain secrets or internal details.
package struct ServerError: Error, Sendable {
    /// The new flow that replaces an expired or completed flow.
    package struct Replacement: Sendable {
        /// The id of the new flow, which the client should continue with.
        package let flow: Identifier

        /// The time at which the old flow expired.
        ///
        /// If this is `nil`, the envelope doesn't contain `expired_at` and `since`.
        package let expiredAt: Timestamp?

        /// The time of the request, which is used to compute `since`.
        package let now: Timestamp

        /// Creates a replacement.
        ///
        /// Omit `expiredAt` if the old flow was replaced because it had been completed.
        package init(flow: Identifier, expiredAt: Timestamp? = nil, now: Timestamp) {
            self.flow = flow
            self.expiredAt = expiredAt
            self.now = now
        }
    }

    /// The address at which a browser starts again after its flow has expired.
    package struct Restart: Hashable, Sendable {
        /// The address that starts a new flow, or continues the authorization request of the old one.
        package let address: String
        /// The return URL of the old flow, if it had one.
        package let returnTo: String?
        /// The address with the return URL.
        package var location: String {
            guard let returnTo else { return address }
            return address + (address.contains("?") ? "&" : "?") + "return_to=" + QueryItems.encode(returnTo)
        }

        package init(at address: String, returnTo: String?) {
            self.address = address
            self.returnTo = returnTo
        }
    }

    /// The HTTP status of the response.
    package let status: Int

    /// The status code in the response body.
    ///
    /// As in Kratos, this code sometimes differs from the HTTP status of the response.
    package let code: Int

    /// The stable id of the error, or `nil` for the many Kratos errors that don't have one.
    package let id: ErrorID?

    /// The cause of the error, as a sentence for developers.
    package let reason: String?

    /// The number of seconds to wait before retrying, sent in the `Retry-After` header field.
    package let retryAfter: Int?

    /// The replacement for an expired or completed flow.
    ///
    /// In the envelope, this member is next to `error`.
    package let replacement: Replacement?

    /// The `continue_with` actions to include in the envelope's details.
    package let continuation: [ContinueWith]

    /// The value of `redirect_browser_to`.
    ///
    /// In the envelope, this member is next to `error`.
    package let browserLocation: String?

    /// The address at which a browser starts again, which the envelope's details contain.
    package let restart: Restart?

    /// The step that the user must complete before the request can be repeated.
    package let duty: Duty.Kind?

    /// The JSON array of all steps that the account's user has to take, which the envelope's details contain.
    ///
    /// The array is `nil` if the step isn't one of the account, but only of the request.
    package let duties: [UInt8]?

    /// Additional header fields for the response, such as `WWW-Authenticate`.
    package let headers: HTTP.Headers

    /// Creates an error.
    ///
    /// - Parameters:
    ///   - status: The HTTP status of the response.
    ///   - id: The stable id, or `nil` to omit it.
    ///   - code: The status code in the response body, or `nil` if it is the same as `status`.
    ///   - reason: The cause of the error, as a sentence for developers, or `nil` to omit it.
    ///   - retryAfter: The number of seconds to wait before retrying, or `nil` to omit the header field.
    ///   - replacement: The flow to continue with, if there is one.
    ///   - continuation: The actions that the client should perform next. If the list is empty, `details` is
    ///     omitted.
    ///   - browserLocation: The value of `redirect_browser_to`, or `nil` to omit it.
    ///   - restart: Where a browser starts again, or `nil` for other clients.
    ///   - duty: The step that the user must complete first, or `nil` to omit it.
    ///   - duties: The JSON array of all steps of the account's user, or `nil` to omit it.
    ///   - headers: Additional header fields for the response.
    package init(
        _ status: Int,
        id: ErrorID? = nil,
        code: Int? = nil,
        reason: String? = nil,
        retryAfter: Int? = nil,
        replacement: Replacement? = nil,
        continuation: [ContinueWith] = [],
        browserLocation: String? = nil,
        restart: Restart? = nil,
        duty: Duty.Kind? = nil,
        duties: [UInt8]? = nil,
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
        self.restart = restart
        self.duty = duty
        self.duties = duties
        self.headers = headers
    }
}

extension ServerError {
    /// Returns a 400 error for a request that can't be parsed or is invalid.
    ///
    /// - Parameter reason: A sentence that explains the error to developers. The sentence must not contain
    ///   secrets.
    /// - Returns: An error with status 400 and no id.
    package static func malformed(_ reason: String) -> ServerError {
        ServerError(400, reason: reason)
    }

    /// A 404 error for a resource that doesn't exist or that the caller isn't allowed to see.
    package static let notFound = ServerError(404)

    /// A 403 error for a request that needs a more recent login.
    package static let sessionRefreshRequired = ServerError(
        403,
        id: .sessionRefreshRequired,
        reason: "The last login is too old for this request. Log in again."
    )

    /// A 403 error for a form that another browser or another site has sent.
    package static let csrfViolation = ServerError(
        403,
        id: .csrfViolation,
        reason:
            "The request does not come from the browser that the form was made for. Start again, and check that the browser accepts cookies."
    )

    /// Returns a 403 error for a flow from before the browser's last login, whose authorization request
    /// continues at an address.
    package static func earlierFlow(continuingAt address: String) -> ServerError {
        ServerError(
            403,
            id: .csrfViolation,
            reason: "The browser has logged in since the form was made. Continue at redirect_browser_to.",
            browserLocation: address
        )
    }

    /// A 400 error for an authorization request that a flow can't continue.
    package static let loginChallengeInvalid = ServerError(
        400,
        id: .loginChallengeInvalid,
        reason:
            "login_challenge does not name an open authorization request of this browser. Start again at the client."
    )

    /// A 400 error for a URL that a browser must not be sent to.
    package static let returnToForbidden = ServerError(
        400,
        id: .returnToForbidden,
        reason: "return_to is not an allowed return URL."
    )

    /// Returns a 410 error for a flow that has expired or has already been completed.
    package static func flowExpired(_ replacement: Replacement?, restart: Restart? = nil) -> ServerError {
        ServerError(
            410,
            id: .flowExpired,
            reason: replacement == nil
                ? "The flow has expired. Start a new one."
                : "The flow has expired. Continue with the flow in use_flow_id, or start a new one.",
            replacement: replacement,
            restart: restart
        )
    }

    /// Returns a 410 error for a flow that was completed or ran out of attempts and has been replaced by
    /// another flow.
    package static func flowReplaced(_ replacement: Replacement) -> ServerError {
        ServerError(
            410,
            id: .flowReplaced,
            reason: "The flow was replaced. Continue with the flow in use_flow_id.",
            replacement: replacement
        )
    }

    /// Returns a 429 error for a request that exceeds a rate limit.
    ///
    /// - Parameter retryAfter: The number of seconds to wait before the next attempt, at least 1.
    /// - Returns: An error with a `Retry-After` header field and the id `too_many_requests`.
    package static func tooManyRequests(retryAfter: Int) -> ServerError {
        ServerError(
            429,
            id: .tooManyRequests,
            reason: "Too many attempts. Try again in \(retryAfter) s.",
            retryAfter: retryAfter
        )
    }

    /// Returns a 503 error for when the server is temporarily overloaded.
    ///
    /// The error doesn't have an id. The client can send the same request again after `retryAfter` seconds.
    package static func overloaded(retryAfter: Int = 1) -> ServerError {
        ServerError(503, reason: "The server is overloaded. Try again shortly.", retryAfter: retryAfter)
    }

    /// A 503 error for when the server can't read or write its database.
    package static let storageUnavailable = ServerError(
        503,
        reason: "The server's storage is unavailable. Try again shortly.",
        retryAfter: 1
    )

    /// Creates a server error from any error that a handler has thrown.
    ///
    /// Unexpected errors become a plain 500 so that internal details aren't revealed to the client.
    package init(anything error: any Error) {
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
