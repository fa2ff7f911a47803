package import LatchkeyModel
import LatchkeyWire

/// A login that the server has accepted; it becomes a session once this device has a certificate, if one is
/// required.
package struct Authentication: Sendable {
    /// The session token.
    package var token: Secret
    /// The session, with the user's account; its expiry may change once the certificate is issued.
    package var session: UserSession
    /// Whether the server stated that the session can be used without a certificate.
    package var isCertificateOptional = false
}

// Unknown members are ignored, and only members that are essential to a login are required: other server
// versions and implementations differ in the rest.

extension Authentication {
    /// Decodes the response to a login or registration; `nil` if the token or the account's id is missing.
    init?(decoding answer: HTTP.Response) {
        self.init(decoding: answer.json)
        isCertificateOptional =
            answer.headers[CertificateRequirement.header] == CertificateRequirement.optional.rawValue
    }

    /// Decodes the response to a login or registration; `nil` if the token or the account's id is missing.
    init?(decoding json: JSONValue?) {
        guard
            let token = json?["session_token"]?.text, !token.isEmpty,
            let session = UserSession(decoding: json?["session"])
        else { return nil }
        self.init(token: Secret(token), session: session)
    }
}

extension UserSession {
    /// Decodes a session; `nil` if the account's id is missing.
    ///
    /// A time that is not in RFC 3339 format becomes `nil`.
    init?(decoding json: JSONValue?) {
        guard let json, let identity = Identity(decoding: json["identity"]) else { return nil }
        self.init(
            id: json["id"]?.text ?? "",
            identity: identity,
            authenticatedAt: json["authenticated_at"]?.text.flatMap { Timestamp(rfc3339: $0) },
            expiresAt: json["expires_at"]?.text.flatMap { Timestamp(rfc3339: $0) }
        )
    }
}

extension Identity {
    /// Decodes an account; `nil` if its id is missing.
    fileprivate init?(decoding json: JSONValue?) {
        guard let json, let id = json["id"]?.text, !id.isEmpty else { return nil }
        self.init(
            id: id,
            schema: json["schema_id"]?.text ?? "",
            traits: json["traits"] ?? .null,
            metadata: json["metadata_public"] ?? .null
        )
    }
}

extension IssuedCertificate {
    /// Decodes the response to a certificate signing request.
    ///
    /// - Parameters:
    ///   - json: The response; the result is `nil` if the certificate or its expiry is missing.
    ///   - now: The time of receipt, according to this device's clock.
    init?(decoding json: JSONValue?, at now: Timestamp) {
        guard let certificate = DeviceCertificate(decoding: json, at: now) else { return nil }
        self.init(
            certificate: certificate,
            sessionExpiresAt: json?["sessionExpiresAt"]?.text.flatMap { Timestamp(rfc3339: $0) }
        )
    }
}

extension DeviceCertificate {
    /// Decodes a certificate and records its time of receipt; `nil` if the PEM or the expiry is missing.
    fileprivate init?(decoding json: JSONValue?, at now: Timestamp) {
        guard
            let pem = json?["certificate"]?.text, !pem.isEmpty,
            let notAfter = json?["notAfter"]?.text.flatMap({ Timestamp(rfc3339: $0) })
        else { return nil }
        var chain: [String] = []
        if case .array(let issuers) = json?["chain"] { chain = issuers.compactMap(\.text) }
        self.init(
            pem: pem,
            chain: chain,
            serialNumber: json?["serialNumber"]?.text ?? "",
            certifiedAt: now,
            notAfter: notAfter
        )
    }
}
