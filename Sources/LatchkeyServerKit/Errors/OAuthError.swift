package import LatchkeyWire

/// An OAuth error (RFC 6749, section 5.2), whose contents are returned to the client.
package struct OAuthError: Error, Sendable {
    /// The error code, which tells clients how to react.
    package let code: OAuthErrorBody.Code

    /// The error description for developers in one sentence, which must not quote the request.
    package let reason: String

    /// The HTTP status of the response.
    package let status: Int

    /// Creates an error, with a status only where RFC 6749 requires one other than 400.
    ///
    /// - Parameters:
    ///   - code: The value of `error`.
    ///   - reason: The value of `error_description`.
    ///   - status: The HTTP status, such as 401 for `invalid_client` or 413 for a body that is too large.
    package init(_ code: OAuthErrorBody.Code, reason: String, status: Int = 400) {
        self.code = code
        self.reason = reason
        self.status = status
    }

    /// The response with the error code and its description as JSON.
    package var response: HTTP.Response {
        .json(status, body: OAuthErrorBody(error: code, errorDescription: reason).json)
    }
}
