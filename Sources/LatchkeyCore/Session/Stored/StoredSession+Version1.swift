import LatchkeyModel

/// Version 1 of the record, which is still supported for reading. When the session is next written, version 2
/// is used.
extension StoredSession {
    /// The JSON representation of version 1, which only supported session tokens, certificates and three
    /// traits.
    struct RecordVersion1: Decodable {
        struct Name: Decodable {
            var first: String
            var last: String
        }

        struct Identity: Decodable {
            var id: String
            var schema: String
            var phone: String?
            var email: String?
            var name: Name?
        }

        /// The device's key and certificate.
        struct Device: Decodable {
            var key: String
            var certificate: String
            var chain: [String]
            var serialNumber: String
            var certifiedAt: String
            var notAfter: String
        }

        var token: String
        var pair: Record.Pair?
        var session: Record.Session
        var identity: Identity
        var device: Device
    }

    init?(decoding record: RecordVersion1) {
        let certificate = Record.Certificate(
            pem: record.device.certificate,
            chain: record.device.chain,
            serialNumber: record.device.serialNumber,
            certifiedAt: record.device.certifiedAt,
            notAfter: record.device.notAfter
        )
        guard
            let bytes = Base64URL.decode(record.device.key),
            let certificate = DeviceCertificate(decoding: certificate)
        else { return nil }
        let (token, key, identity) = (Secret(record.token), StoredKey(bytes), record.identity)
        self.init(
            login: LoginID(token: token, key: key),
            session: UserSession(
                decoding: record.session,
                identity: Identity(
                    id: identity.id,
                    schema: identity.schema,
                    phone: identity.phone.flatMap { PhoneNumber($0) },
                    email: identity.email.flatMap { EmailAddress($0) },
                    name: identity.name.map { PersonName(first: $0.first, last: $0.last) }
                )
            ),
            credential: .sessionToken(token, pair: record.pair.flatMap { TokenPair(decoding: $0) }),
            key: key,
            certificate: certificate,
            requiresCertificate: true
        )
    }
}
