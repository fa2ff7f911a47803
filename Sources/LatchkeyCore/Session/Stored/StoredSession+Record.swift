import LatchkeyModel
import LatchkeyWire

/// The encoding of a stored session as a record, and its decoding.
extension StoredSession {
    /// The version of the records that this code writes; it reads this version and all earlier ones.
    static let recordVersion = 1

    /// The result of decoding a record: a session, or the reason why it cannot be read.
    package enum Reading: Sendable {
        case present(StoredSession)
        case unavailable(SessionStoreError)
    }

    /// Encodes the session as a record.
    ///
    /// - Returns: The bytes of the record.
    /// - Throws: ``SessionStoreError``, which does not occur with valid values.
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
    /// - Returns: The session, or an error: `newer` for a later version, `unreadable` for a damaged record.
    package static func reading(_ bytes: [UInt8]) -> Reading {
        guard let version = try? JSONCoding.decode(RecordVersion.self, from: bytes).version else {
            return .unavailable(SessionStoreError(.unreadable, message: "The record is damaged."))
        }
        guard version <= recordVersion else {
            return .unavailable(SessionStoreError(.newer, message: "The record has version \(version)."))
        }
        guard
            let record = try? JSONCoding.decode(Record.self, from: bytes),
            let stored = StoredSession(decoding: record)
        else { return .unavailable(SessionStoreError(.unreadable, message: "The record is damaged.")) }
        return .present(stored)
    }

    private struct RecordVersion: Decodable {
        var version: Int
    }

    private init?(decoding record: Record) {
        guard
            let key = Base64URL.decode(record.device.key),
            let certifiedAt = Timestamp(rfc3339: record.device.certifiedAt),
            let notAfter = Timestamp(rfc3339: record.device.notAfter)
        else { return nil }
        let identity = record.identity
        self.init(
            session: UserSession(
                id: record.session.id,
                identity: Identity(
                    id: identity.id,
                    schema: identity.schema,
                    phone: identity.phone.flatMap { PhoneNumber($0) },
                    email: identity.email.flatMap { EmailAddress($0) },
                    name: identity.name.map { PersonName(first: $0.first, last: $0.last) }
                ),
                authenticatedAt: record.session.authenticatedAt.flatMap { Timestamp(rfc3339: $0) },
                expiresAt: record.session.expiresAt.flatMap { Timestamp(rfc3339: $0) }
            ),
            token: Secret(record.token),
            key: StoredKey(key),
            certificate: DeviceCertificate(
                pem: record.device.certificate,
                chain: record.device.chain,
                serialNumber: record.device.serialNumber,
                certifiedAt: certifiedAt,
                notAfter: notAfter
            ),
            pair: record.pair.flatMap { TokenPair(decoding: $0) }
        )
    }
}

extension TokenPair {
    fileprivate init?(decoding pair: StoredSession.Record.Pair) {
        guard
            let renewAt = Timestamp(rfc3339: pair.renewAt), let expiresAt = Timestamp(rfc3339: pair.expiresAt)
        else { return nil }
        self.init(
            access: Secret(pair.access),
            refresh: Secret(pair.refresh),
            renewAt: renewAt,
            expiresAt: expiresAt
        )
    }
}
