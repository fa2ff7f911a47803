import LatchkeyModel
import LatchkeyWire

/// Encodes stored sessions as records and decodes them.
extension StoredSession {
    /// The version of the format.
    static let recordVersion = 1

    /// The result of decoding a record.
    ///
    /// The result is either a session, or the reason why the record can't be read.
    package enum Reading: Sendable {
        case present(StoredSession)
        case unavailable(SessionStoreError)
    }

    /// Encodes the session as a record.
    ///
    /// - Returns: The bytes of the record.
    /// - Throws: ``SessionStoreError`` if the session can't be encoded, which doesn't happen for valid
    ///   values.
    package func encoded() throws(SessionStoreError) -> [UInt8] {
        do {
            return try JSONCoding.encode(Record(encoding: self))
        } catch {
            throw SessionStoreError(.failed, message: "The session could not be encoded as a record.")
        }
    }

    /// Decodes a record.
    ///
    /// - Parameter bytes: The bytes of the record.
    /// - Returns: The session, or an error. The error's code is `newer` if the record was written by a newer
    ///   version, or `unreadable` if the record is damaged.
    package static func reading(_ bytes: [UInt8]) -> Reading {
        guard let version = try? JSONCoding.decode(RecordVersion.self, from: bytes).version else {
            return .unavailable(SessionStoreError(.unreadable, message: "The record is damaged."))
        }
        guard version <= recordVersion else {
            return .unavailable(SessionStoreError(.newer, message: "The record has version \(version)."))
        }
        guard version == recordVersion, let stored = decode(bytes) else {
            return .unavailable(SessionStoreError(.unreadable, message: "The record is damaged."))
        }
        return .present(stored)
    }

    private struct RecordVersion: Decodable {
        var version: Int
    }

    private static func decode(_ bytes: [UInt8]) -> StoredSession? {
        (try? JSONCoding.decode(Record.self, from: bytes)).flatMap { StoredSession(decoding: $0) }
    }

    private init?(decoding record: Record) {
        guard
            let login = LoginID(record.login),
            let credential = StoredCredential(decoding: record.credential),
            let key = Base64URL.decode(record.key)
        else { return nil }
        var certificate: DeviceCertificate?
        if let encoded = record.certificate {
            certificate = DeviceCertificate(decoding: encoded)
            if certificate == nil { return nil }
        }
        self.init(
            login: login,
            session: UserSession(
                decoding: record.session,
                identity: Identity(decoding: record.identity)
            ),
            credential: credential,
            key: StoredKey(key),
            certificate: certificate,
            requiresCertificate: record.requiresCertificate
        )
    }
}

extension StoredCredential {
    /// Decodes the tokens.
    ///
    /// Returns `nil` if a required member is missing or damaged.
    init?(decoding credential: StoredSession.Record.Credential) {
        let pair = credential.pair.flatMap { TokenPair(decoding: $0) }
        switch credential.kind {
        case .sessionToken:
            guard let token = credential.token else { return nil }
            self = .sessionToken(Secret(token), pair: pair)
        case .grant:
            guard let pair, let issuer = credential.issuer, let client = credential.client,
                let scopes = credential.scopes
            else { return nil }
            self = .grant(
                OAuthGrant(
                    pair: pair,
                    issuer: issuer,
                    client: client,
                    scopes: Set(scopes),
                    idToken: credential.idToken.map { Secret($0) }
                )
            )
        }
    }
}

extension Identity {
    init(decoding identity: StoredSession.Record.Identity) {
        self.init(
            id: identity.id,
            schema: identity.schema,
            traits: Traits(identity.traits.object ?? [:]),
            addresses: (identity.addresses ?? []).map {
                Address(value: $0.value, isVerified: $0.isVerified, isForRecovery: $0.isForRecovery)
            },
            publicMetadata: identity.metadata,
            createdAt: identity.createdAt.flatMap { Timestamp(rfc3339: $0)?.date }
        )
    }
}

extension UserSession {
    init(decoding session: StoredSession.Record.Session, identity: Identity) {
        self.init(
            id: session.id,
            identity: identity,
            authenticatedAt: session.authenticatedAt.flatMap { Timestamp(rfc3339: $0)?.date },
            expiresAt: session.expiresAt.flatMap { Timestamp(rfc3339: $0)?.date }
        )
    }
}

extension DeviceCertificate {
    init?(decoding certificate: StoredSession.Record.Certificate) {
        guard
            let certifiedAt = Timestamp(rfc3339: certificate.certifiedAt),
            let notAfter = Timestamp(rfc3339: certificate.notAfter)
        else { return nil }
        self.init(
            pem: certificate.pem,
            chain: certificate.chain,
            serialNumber: certificate.serialNumber,
            certifiedAt: certifiedAt,
            notAfter: notAfter
        )
    }
}

extension TokenPair {
    init?(decoding pair: StoredSession.Record.Pair) {
        guard
            let renewAt = Timestamp(rfc3339: pair.renewAt), let expiresAt = Timestamp(rfc3339: pair.expiresAt)
        else { return nil }
        self.init(
            access: Secret(pair.access),
            refresh: pair.refresh.map { Secret($0) },
            renewAt: renewAt,
            expiresAt: expiresAt,
            isBound: pair.isBound
        )
    }
}
