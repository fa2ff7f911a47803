import LatchkeyModel
import LatchkeyWire

/// A token for a session that still has to be revoked on the server.
struct RevocationEntry: Hashable, Sendable {
    /// The type of token to revoke.
    ///
    /// The raw values are used in the stored format.
    enum Kind: String, Codable, Sendable {
        /// A session token.
        case session
        /// A refresh token that was issued for an OAuth grant.
        case refreshToken
    }

    var kind: Kind
    var token: Secret
    var addedAt: Timestamp
}

extension RevocationEntry {
    /// Creates an entry for revoking the credential of a login that has ended.
    init(_ credential: StoredCredential, addedAt now: Timestamp) {
        switch credential {
        case .sessionToken(let token, _): self.init(kind: .session, token: token, addedAt: now)
        case .grant(let grant): self.init(kind: .refreshToken, token: grant.pair.refresh, addedAt: now)
        }
    }
}

/// Encodes entries as a JSON array and decodes them. Dates are in RFC 3339 format.
extension RevocationEntry {
    private struct Record: Encodable {
        var kind: Kind
        var token: String
        var addedAt: String
    }

    /// Decodes entries and skips damaged ones.
    static func decode(_ bytes: [UInt8]?) -> [RevocationEntry] {
        guard let bytes, let entries = try? JSONCoding.decode([JSONValue].self, from: bytes) else {
            return []
        }
        return entries.compactMap { entry in
            guard
                let kind = entry["kind"]?.text.flatMap({ Kind(rawValue: $0) }),
                let token = entry["token"]?.text,
                let addedAt = entry["addedAt"]?.text.flatMap({ Timestamp(rfc3339: $0) })
            else { return nil }
            return RevocationEntry(kind: kind, token: Secret(token), addedAt: addedAt)
        }
    }

    /// Encodes entries.
    ///
    /// Returns `nil` if the list is empty.
    static func encode(_ entries: [RevocationEntry]) -> [UInt8]? {
        guard !entries.isEmpty else { return nil }
        return try? JSONCoding.encode(
            entries.map {
                Record(kind: $0.kind, token: $0.token.exposed, addedAt: $0.addedAt.description)
            }
        )
    }
}
