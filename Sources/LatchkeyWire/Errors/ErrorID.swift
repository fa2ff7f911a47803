/// A stable error identifier, the `id` of the error envelope.
package struct ErrorID: RawRepresentable, Hashable, Sendable, Codable {
    package let rawValue: String

    package init(rawValue: String) {
        self.rawValue = rawValue
    }

    // Identifiers of Ory Kratos.
    package static let flowExpired = ErrorID(rawValue: "self_service_flow_expired")
    package static let flowDisabled = ErrorID(rawValue: "self_service_flow_disabled")
    package static let returnToForbidden = ErrorID(rawValue: "self_service_flow_return_to_forbidden")
    package static let flowReplaced = ErrorID(rawValue: "self_service_flow_replaced")
    package static let identityMismatch = ErrorID(rawValue: "security_identity_mismatch")
    package static let sessionAlreadyAvailable = ErrorID(rawValue: "session_already_available")
    package static let sessionInactive = ErrorID(rawValue: "session_inactive")
    package static let sessionAAL1Required = ErrorID(rawValue: "session_aal1_required")
    package static let verifiedAddressRequired = ErrorID(rawValue: "session_verified_address_required")
    package static let sessionRefreshRequired = ErrorID(rawValue: "session_refresh_required")

    // Identifiers of Latchkey, for routes that Kratos does not have.
    package static let phoneInvalid = ErrorID(rawValue: "phone_invalid")
    package static let tooManyRequests = ErrorID(rawValue: "too_many_requests")
    package static let deliveryFailed = ErrorID(rawValue: "delivery_failed")
    package static let codeInvalid = ErrorID(rawValue: "code_invalid")
    package static let codeExpired = ErrorID(rawValue: "code_expired")
    package static let codeUsed = ErrorID(rawValue: "code_used")
    package static let codeAttemptsExhausted = ErrorID(rawValue: "code_attempts_exhausted")
    package static let csrInvalid = ErrorID(rawValue: "csr_invalid")
    package static let certificateKeyDiffers = ErrorID(rawValue: "certificate_key_differs")
    package static let deviceCertificateRequired = ErrorID(rawValue: "device_certificate_required")
}
