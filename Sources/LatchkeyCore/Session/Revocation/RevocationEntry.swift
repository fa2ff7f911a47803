import LatchkeyModel
import LatchkeyWire

/// A token whose session has yet to be revoked at the server.
struct RevocationEntry: Hashable, Sendable {
    /// A kind of token; raw values are part of the stored form.
    enum Kind: String, Codable, Sendable {
        /// A session token.
        case session
        /// A refresh token of an OAuth grant.
        case refreshToken
    }

    var kind: Kind
    var token: Secret
    var addedAt: Timestamp
}

extension RevocationEntry {
    /// Creates the entry for the credential of a login that has ended.
    init(_ credential: StoredCredential, addedAt now: Timestamp) {
        switch credential {
        case .sessionToken(let token, _): self.init(kind: .session, token: token, addedAt: now)
        case .grant(let grant): self.init(kind: .refreshToken, token: grant.pair.refresh, addedAt: now)
        }
    }
}

/// The stored form: a JSON array; times are in RFC 3339 format.
extension RevocationEntry {
    private struct Record: Codable {
        var kind: Kind
        var token: String
        var addedAt: String
    }

    /// Decodes entries; damaged ones are left out.
    static func decode(_ bytes: [UInt8]?) -> [RevocationEntry] {
        guard let bytes, let records = try? JSONCoding.decode([Record].self, from: bytes) else { return [] }
        return records.compactMap { record in
            guard let addedAt = Timestamp(rfc3339: record.addedAt) else { return nil }
            return RevocationEntry(kind: record.kind, token: Secret(record.token), addedAt: addedAt)
        }
    }

    /// Encodes entries; `nil` if there are none.
    static func encode(_ entries: [RevocationEntry]) -> [UInt8]? {
        guard !entries.isEmpty else { return nil }
        return try? JSONCoding.encode(
            entries.map {
                Record(kind: $0.kind, token: $0.token.exposed, addedAt: $0.addedAt.description)
            }
        )
    }
}
