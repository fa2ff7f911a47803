package import LatchkeyWire

/// An error that is returned to the client at its redirect URI (RFC 6749, section 4.1.2.1; OpenID Connect
/// Core, section 3.1.2.6).
package struct AuthorizationError: Error, Hashable, Sendable {
    package let code: OAuthErrorBody.Code
    /// A one-sentence description for developers, which must not quote the request.
    package let reason: String

    package init(_ code: OAuthErrorBody.Code, reason: String) {
        (self.code, self.reason) = (code, reason)
    }

    package static let accessDenied = AuthorizationError(
        .accessDenied,
        reason: "The user refused the request."
    )
    package static let loginRequired = AuthorizationError(.loginRequired, reason: "The user must log in.")
    package static let consentRequired = AuthorizationError(
        .consentRequired,
        reason: "The user must consent to the request."
    )
    package static let interactionRequired = AuthorizationError(
        .interactionRequired,
        reason: "The user must confirm the request."
    )
    package static let accountSelectionRequired = AuthorizationError(
        .accountSelectionRequired,
        reason: "The user must choose an account."
    )
}

extension OAuthErrorBody.Code {
    /// The user or the server has refused the request.
    package static let accessDenied = Self(rawValue: "access_denied")
    /// The client may not use this grant type.
    package static let unauthorizedClient = Self(rawValue: "unauthorized_client")
    package static let unsupportedResponseType = Self(rawValue: "unsupported_response_type")
    /// The server failed for a reason that the client can't do anything about.
    package static let serverError = Self(rawValue: "server_error")
    /// The user must log in, but the request forbids to ask.
    package static let loginRequired = Self(rawValue: "login_required")
    package static let consentRequired = Self(rawValue: "consent_required")
    package static let interactionRequired = Self(rawValue: "interaction_required")
    package static let accountSelectionRequired = Self(rawValue: "account_selection_required")
    package static let requestNotSupported = Self(rawValue: "request_not_supported")
    package static let registrationNotSupported = Self(rawValue: "registration_not_supported")
    /// The access token is invalid, expired or revoked (RFC 6750, section 3.1).
    package static let invalidToken = Self(rawValue: "invalid_token")
    package static let insufficientScope = Self(rawValue: "insufficient_scope")
}
