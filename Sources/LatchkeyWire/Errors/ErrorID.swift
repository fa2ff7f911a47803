/// A stable error identifier, which is the `id` member of an error response.
///
/// Clients should make decisions based on the identifier rather than on the message or the reason.
/// Identifiers that this version doesn't know can still be decoded.
package struct ErrorID: RawRepresentable, Hashable, Sendable, Codable {
    /// The identifier as it appears in JSON.
    package let rawValue: String

    package init(rawValue: String) {
        self.rawValue = rawValue
    }

    // These identifiers are defined by Ory Kratos.

    /// The flow has expired (410).
    ///
    /// The client should create a new flow or continue with the one in `use_flow_id`.
    package static let flowExpired = ErrorID(rawValue: "self_service_flow_expired")
    /// The operator has disabled this flow, for example registration with a certain identity schema (400).
    package static let flowDisabled = ErrorID(rawValue: "self_service_flow_disabled")
    /// The URL in `return_to` isn't one of the allowed return URLs (400).
    package static let returnToForbidden = ErrorID(rawValue: "self_service_flow_return_to_forbidden")
    /// The flow has been completed or has no attempts left (410).
    ///
    /// The flow in `use_flow_id` replaces the old one.
    package static let flowReplaced = ErrorID(rawValue: "self_service_flow_replaced")
    /// Kratos received a request without a CSRF token and did not recognize it as a native app's request
    /// (403).
    package static let csrfViolation = ErrorID(rawValue: "security_csrf_violation")
    /// The flow belongs to a different identity than the current session (403).
    package static let identityMismatch = ErrorID(rawValue: "security_identity_mismatch")
    /// The flow can't be used because the user is already logged in (400).
    package static let sessionAlreadyAvailable = ErrorID(rawValue: "session_already_available")
    /// The session has expired or was revoked, or its account was disabled or deleted (401).
    package static let sessionInactive = ErrorID(rawValue: "session_inactive")
    /// A second factor was requested, but the user isn't logged in (401).
    package static let sessionAAL1Required = ErrorID(rawValue: "session_aal1_required")
    /// The user must verify an address before they can log in (403).
    package static let verifiedAddressRequired = ErrorID(rawValue: "session_verified_address_required")
    /// The user must authenticate again because their last authentication is too old (403).
    ///
    /// To authenticate the user again, the client starts a login flow with `refresh=true`.
    package static let sessionRefreshRequired = ErrorID(rawValue: "session_refresh_required")

    // These identifiers are defined by Latchkey, for routes that don't exist in Kratos.

    /// The user logged in with just a code or through account recovery, which isn't sufficient for this
    /// request (403).
    ///
    /// To authenticate again, the client uses a login flow with `refresh=true`. The user must enter their
    /// password or a code that was sent to another address.
    package static let anotherProofRequired = ErrorID(rawValue: "another_proof_required")
    /// The authorization request that a flow should continue is unknown, answered or expired, or belongs to
    /// another browser (400).
    package static let loginChallengeInvalid = ErrorID(rawValue: "login_challenge_invalid")
    /// The phone number isn't in E.164 format (400).
    package static let phoneInvalid = ErrorID(rawValue: "phone_invalid")
    /// The rate limit was exceeded (429).
    ///
    /// `Retry-After` contains the number of seconds to wait.
    package static let tooManyRequests = ErrorID(rawValue: "too_many_requests")
    /// The SMS provider rejected the message that contains the code (502).
    package static let deliveryFailed = ErrorID(rawValue: "delivery_failed")
    /// The code doesn't have six digits or isn't the one that was sent most recently (400).
    package static let codeInvalid = ErrorID(rawValue: "code_invalid")
    /// The code has expired (400).
    ///
    /// The client should request a new code.
    package static let codeExpired = ErrorID(rawValue: "code_expired")
    /// The code has already been used (400).
    ///
    /// The client should request a new code.
    package static let codeUsed = ErrorID(rawValue: "code_used")
    /// Too many wrong codes were entered, so even the correct code is no longer accepted (400).
    package static let codeAttemptsExhausted = ErrorID(rawValue: "code_attempts_exhausted")
    /// The certificate signing request is malformed or not acceptable (400).
    ///
    /// The error's `reason` explains what is wrong.
    package static let csrInvalid = ErrorID(rawValue: "csr_invalid")
    /// The session is already bound to a certificate for a different key (409).
    ///
    /// The user has to log in again.
    package static let certificateKeyDiffers = ErrorID(rawValue: "certificate_key_differs")
    /// The session can't be used until a device certificate has been issued for it (403).
    package static let deviceCertificateRequired = ErrorID(rawValue: "device_certificate_required")
    /// The request of another app was answered or withdrawn, or has expired (410).
    package static let approvalExpired = ErrorID(rawValue: "approval_expired")
    /// The request of another app can't be approved by this account, or another account was shown (409).
    package static let accountChanged = ErrorID(rawValue: "account_changed")
    /// The access token doesn't have the scope that the route requires (403; RFC 6750, section 3.1).
    package static let insufficientScope = ErrorID(rawValue: "insufficient_scope")
    /// The user must complete a step first (403).
    ///
    /// The member `duty` of the error names the step. The request has not been applied, and can be repeated
    /// after the step is completed.
    package static let dutyRequired = ErrorID(rawValue: "duty_required")
    /// The order requires a device that was added to the account at least a day ago, and no login of the account
    /// would be enough (403).
    package static let deviceTooNew = ErrorID(rawValue: "device_too_new")
    /// The publication contradicts documents that are already published and never change (409).
    package static let termsImmutable = ErrorID(rawValue: "terms_immutable")
    /// The access token is bound to a key, but the request doesn't contain a valid proof of possession (401;
    /// RFC 9449).
    package static let invalidDPoPProof = ErrorID(rawValue: "invalid_dpop_proof")
    /// The proof of possession must contain the nonce from the response's `DPoP-Nonce` header (401; RFC
    /// 9449).
    package static let useDPoPNonce = ErrorID(rawValue: "use_dpop_nonce")
}
