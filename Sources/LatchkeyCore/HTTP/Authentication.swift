package import LatchkeyModel
import LatchkeyWire

/// A login that the server has accepted.
///
/// If the server requires a certificate for this device, the user isn't logged in until the certificate is
/// issued.
package struct Authentication: Sendable {
    /// The session token.
    package var token: Secret
    /// The session with the user's account.
    ///
    /// The session's expiry date may change when the certificate is issued.
    package var session: UserSession
    /// Whether the server allows the session to be used without a certificate.
    package var isCertificateOptional = false
}

// Unknown members are ignored, and we only require the members that a login can't do without. Other members
// vary between server versions and implementations.

extension Authentication {
    /// Decodes the response to a login or registration.
    ///
    /// Returns `nil` if the token or the account id is missing.
    init?(decoding json: JSONValue?, headers: HTTP.Headers) {
        self.init(decoding: json)
        isCertificateOptional =
            headers[CertificateRequirement.header] == CertificateRequirement.optional.rawValue
    }

    /// Decodes the response to a login or registration.
    ///
    /// Returns `nil` if the token or the account id is missing.
    init?(decoding json: JSONValue?) {
        guard
            let token = json?["session_token"]?.text, !token.isEmpty,
            let session = UserSession(decoding: json?["session"])
        else { return nil }
        self.init(token: Secret(token), session: session)
    }
}

extension UserSession {
    /// Decodes a session.
    ///
    /// Returns `nil` if the account id is missing.
    ///
    /// Dates that aren't in RFC 3339 format are decoded as `nil`.
    init?(decoding json: JSONValue?) {
        guard let json, let identity = Identity(decoding: json["identity"]) else { return nil }
        self.init(
            id: json["id"]?.text ?? "",
            identity: identity,
            authenticatedAt: json["authenticated_at"]?.text.flatMap { Timestamp(rfc3339: $0)?.date },
            expiresAt: json["expires_at"]?.text.flatMap { Timestamp(rfc3339: $0)?.date }
        )
    }
}

extension IssuedCertificate {
    /// Decodes the response to a certificate signing request.
    ///
    /// Returns `nil` if the certificate, its chain or its expiry date is missing.
    ///
    /// - Parameters:
    ///   - json: The response body.
    ///   - now: The time at which the response was received, according to this device's clock.
    init?(decoding json: JSONValue?, at now: Timestamp) {
        guard let certificate = DeviceCertificate(decoding: json, at: now) else { return nil }
        self.init(
            certificate: certificate,
            sessionExpiresAt: json?["sessionExpiresAt"]?.text.flatMap { Timestamp(rfc3339: $0) }
        )
    }
}

extension DeviceCertificate {
    /// Decodes a certificate, and records when it was received.
    ///
    /// Returns `nil` if the PEM text, the chain or the expiry date is missing.
    fileprivate init?(decoding json: JSONValue?, at now: Timestamp) {
        guard
            let pem = json?["certificate"]?.text, !pem.isEmpty,
            let notAfter = json?["notAfter"]?.text.flatMap({ Timestamp(rfc3339: $0) }),
            let issuers = json?["chain"]?.array
        else { return nil }
        let chain = issuers.compactMap(\.text)
        guard chain.count == issuers.count else { return nil }
        self.init(
            pem: pem,
            chain: chain,
            serialNumber: json?["serialNumber"]?.text ?? "",
            certifiedAt: now,
            notAfter: notAfter
        )
    }
}
