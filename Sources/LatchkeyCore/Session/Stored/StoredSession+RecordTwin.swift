import LatchkeyModel

/// The JSON form of a stored session.
extension StoredSession {
    /// Version 1 of the record.
    ///
    /// Members that were added later are optional, so older versions of an app can ignore them. Times are in
    /// RFC 3339 format, and the device's key is encoded as Base64URL.
    struct Record: Codable {
        struct Name: Codable {
            var first: String
            var last: String
        }

        struct Identity: Codable {
            var id: String
            var schema: String
            var phone: String?
            var email: String?
            var name: Name?
        }

        struct Session: Codable {
            var id: String
            var authenticatedAt: String?
            var expiresAt: String?
        }

        /// The device's key and its certificate.
        struct Device: Codable {
            var key: String
            var certificate: String
            var chain: [String]
            var serialNumber: String
            var certifiedAt: String
            var notAfter: String
        }

        /// The tokens that the session token was exchanged for; if they are lost, it is exchanged again.
        struct Pair: Codable {
            var access: String
            var refresh: String
            var renewAt: String
            var expiresAt: String
        }

        var version: Int
        var token: String
        var pair: Pair?
        var session: Session
        var identity: Identity
        var device: Device
    }
}

extension StoredSession.Record {
    /// Creates the record of a session, with its secrets in plain text, because the store protects them.
    init(encoding stored: StoredSession) {
        let identity = stored.session.identity
        version = StoredSession.recordVersion
        token = stored.token.exposed
        pair = stored.pair.map { pair in
            Pair(
                access: pair.access.exposed,
                refresh: pair.refresh.exposed,
                renewAt: pair.renewAt.description,
                expiresAt: pair.expiresAt.description
            )
        }
        session = Session(
            id: stored.session.id,
            authenticatedAt: stored.session.authenticatedAt?.description,
            expiresAt: stored.session.expiresAt?.description
        )
        self.identity = Identity(
            id: identity.id,
            schema: identity.schema,
            phone: identity.phone?.e164,
            email: identity.email?.address,
            name: identity.name.map { Name(first: $0.first, last: $0.last) }
        )
        device = Device(
            key: Base64URL.encode(stored.key.exposed),
            certificate: stored.certificate.pem,
            chain: stored.certificate.chain,
            serialNumber: stored.certificate.serialNumber,
            certifiedAt: stored.certificate.certifiedAt.description,
            notAfter: stored.certificate.notAfter.description
        )
    }
}
