package import LatchkeyModel
import LatchkeyWire

/// A login that the server has accepted; a session only once this device is certified.
package struct Authentication: Sendable {
    package var token: Secret
    package var session: Session
}

// Members that are not known are passed over, and only those are asked for that a login cannot do without:
// servers of other versions, and other makes, differ in the rest.

extension Authentication {
    init?(decoding json: JSONValue?) {
        guard
            let token = json?["session_token"]?.text, !token.isEmpty,
            let session = Session(decoding: json?["session"])
        else { return nil }
        self.init(token: Secret(token), session: session)
    }
}

extension Session {
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
    fileprivate init?(decoding json: JSONValue?) {
        guard let json, let id = json["id"]?.text, !id.isEmpty else { return nil }
        let traits = json["traits"]
        self.init(
            id: id,
            schema: json["schema_id"]?.text ?? "",
            phone: traits?["phone"]?.text.flatMap { PhoneNumber($0) },
            email: traits?["email"]?.text.flatMap { EmailAddress($0) },
            name: traits?["name"].flatMap { PersonName(decoding: $0) }
        )
    }
}

extension PersonName {
    fileprivate init?(decoding json: JSONValue) {
        guard let first = json["first"]?.text, let last = json["last"]?.text else { return nil }
        self.init(first: first, last: last)
    }
}

extension IssuedCertificate {
    init?(decoding json: JSONValue?, at now: Timestamp) {
        guard let certificate = DeviceCertificate(decoding: json, at: now) else { return nil }
        self.init(
            certificate: certificate,
            sessionExpiresAt: json?["sessionExpiresAt"]?.text.flatMap { Timestamp(rfc3339: $0) }
        )
    }
}

extension DeviceCertificate {
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
