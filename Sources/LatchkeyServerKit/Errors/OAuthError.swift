package import LatchkeyWire

/// An OAuth error (RFC 6749, section 5.2) that is returned to the client.
package struct OAuthError: Error, Sendable {
    /// The error code, which tells clients how to react.
    package let code: OAuthErrorBody.Code

    /// A one-sentence description for developers.
    ///
    /// The description must not quote the request.
    package let reason: String

    /// The HTTP status of the response.
    package let status: Int

    /// The step that the user must complete before the request can be repeated.
    package let duty: Duty.Kind?

    /// Additional header fields for the response, such as `WWW-Authenticate`.
    package let headers: HTTP.Headers

    /// Creates an error.
    ///
    /// Pass a status only if RFC 6749 requires one other than 400.
    ///
    /// - Parameters:
    ///   - code: The value of the `error` member.
    ///   - reason: The value of the `error_description` member.
    ///   - status: The HTTP status, such as 401 for `invalid_client` or 413 for a body that is too large.
    ///   - duty: The step that the user must complete first, or `nil` to omit it.
    ///   - headers: Additional header fields for the response.
    package init(
        _ code: OAuthErrorBody.Code,
        reason: String,
        status: Int = 400,
        duty: Duty.Kind? = nil,
        headers: HTTP.Headers = [:]
    ) {
        self.code = code
        self.reason = reason
        self.status = status
        self.duty = duty
        self.headers = headers
    }

    /// The HTTP response, with the error code and description as JSON.
    package var response: HTTP.Response {
        var response = HTTP.Response.json(
            status,
            body: OAuthErrorBody(error: code, errorDescription: reason, duty: duty?.rawValue).json
        )
        response.headers.fields += headers.fields
        return response
    }
}
