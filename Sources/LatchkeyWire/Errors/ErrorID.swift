/// A stable error identifier, the `id` of the error envelope.
///
/// Clients react to the identifier, not to the message or the reason. An identifier that is unknown to this
/// version is decoded without an error.
package struct ErrorID: RawRepresentable, Hashable, Sendable, Codable {
    /// The identifier as it appears in the JSON.
    package let rawValue: String

    package init(rawValue: String) {
        self.rawValue = rawValue
    }

    // Identifiers defined by Ory Kratos.

    /// The flow has expired (410); the client creates a new flow or continues with the flow in `use_flow_id`.
    package static let flowExpired = ErrorID(rawValue: "self_service_flow_expired")
    /// The operator has disabled the flow, such as registration for an identity schema (400).
    package static let flowDisabled = ErrorID(rawValue: "self_service_flow_disabled")
    /// The URL in `return_to` is not in the list of allowed return URLs (400).
    package static let returnToForbidden = ErrorID(rawValue: "self_service_flow_return_to_forbidden")
    /// The flow was completed or has no attempts left; its successor is in `use_flow_id` (410).
    package static let flowReplaced = ErrorID(rawValue: "self_service_flow_replaced")
    /// Kratos received a request without a CSRF token that it could not identify as a native app's (403).
    package static let csrfViolation = ErrorID(rawValue: "security_csrf_violation")
    /// The flow and the current session belong to different identities (403).
    package static let identityMismatch = ErrorID(rawValue: "security_identity_mismatch")
    /// The request has a valid session, but the flow requires that the user is not logged in (400).
    package static let sessionAlreadyAvailable = ErrorID(rawValue: "session_already_available")
    /// The session has expired or was revoked, or its account was disabled or deleted (401).
    package static let sessionInactive = ErrorID(rawValue: "session_inactive")
    /// A second factor was requested without an active session (401).
    package static let sessionAAL1Required = ErrorID(rawValue: "session_aal1_required")
    /// An address of the account must be verified before login (403).
    package static let verifiedAddressRequired = ErrorID(rawValue: "session_verified_address_required")
    /// The session's last authentication is too old for the request (403); a login with `refresh=true` renews
    /// it.
    package static let sessionRefreshRequired = ErrorID(rawValue: "session_refresh_required")

    // Identifiers defined by Latchkey, for routes that Kratos does not have.

    /// The session was opened by a recovery or by a code alone, which is not sufficient for the request (403); a login
    /// with `refresh=true` with the password, or with a code to another address, adds the missing proof.
    package static let anotherProofRequired = ErrorID(rawValue: "another_proof_required")
    /// The phone number is not in E.164 format (400).
    package static let phoneInvalid = ErrorID(rawValue: "phone_invalid")
    /// A rate limit was exceeded; `Retry-After` contains the delay in seconds (429).
    package static let tooManyRequests = ErrorID(rawValue: "too_many_requests")
    /// The SMS provider rejected the text message that contains the code (502).
    package static let deliveryFailed = ErrorID(rawValue: "delivery_failed")
    /// The code does not have six digits, or does not match the latest code (400).
    package static let codeInvalid = ErrorID(rawValue: "code_invalid")
    /// The code has expired (400); the client requests a new one.
    package static let codeExpired = ErrorID(rawValue: "code_expired")
    /// The code was already used (400); the client requests a new one.
    package static let codeUsed = ErrorID(rawValue: "code_used")
    /// Too many wrong codes were submitted, so even the correct code is now rejected (400).
    package static let codeAttemptsExhausted = ErrorID(rawValue: "code_attempts_exhausted")
    /// The certificate signing request is malformed or not acceptable (400); `reason` explains why.
    package static let csrInvalid = ErrorID(rawValue: "csr_invalid")
    /// The session is already bound to a certificate for another key (409); the user has to log in again.
    package static let certificateKeyDiffers = ErrorID(rawValue: "certificate_key_differs")
    /// The session cannot be used until a device certificate has been issued for it (403).
    package static let deviceCertificateRequired = ErrorID(rawValue: "device_certificate_required")
    /// The access token is bound to a key, and the request has no valid proof of possession (401; RFC 9449).
    package static let invalidDPoPProof = ErrorID(rawValue: "invalid_dpop_proof")
    /// The proof of possession must contain the nonce in the response's `DPoP-Nonce` field (401; RFC 9449).
    package static let useDPoPNonce = ErrorID(rawValue: "use_dpop_nonce")
}
