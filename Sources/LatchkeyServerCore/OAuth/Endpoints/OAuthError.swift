package import LatchkeyWire

/// A refusal of the OAuth endpoints (RFC 6749, section 5.2); what stands in it may be read by anybody.
package struct OAuthError: Error, Sendable {
    package let code: OAuthErrorBody.Code

    /// What is wrong, in a sentence for developers; quotes nothing of the request.
    package let reason: String

    package let status: Int

    package init(_ code: OAuthErrorBody.Code, _ reason: String, status: Int = 400) {
        self.code = code
        self.reason = reason
        self.status = status
    }

    /// The refusal as a response.
    package var response: HTTPResponse {
        .json(status, OAuthErrorBody(error: code, errorDescription: reason).json)
    }
}
