package import LatchkeyModel

/// The random identifier of a login on this device.
///
/// The device creates it when a login is completed and never sends it. All processes that share the record
/// compare it to determine whether two records belong to the same login, whatever else has changed.
package struct LoginID: Hashable, Sendable {
    /// The number of bytes of an identifier.
    private static let byteCount = 16

    private let bytes: [UInt8]

    /// Creates the identifier of a new login.
    ///
    /// - Parameter random: The source of its 128 bits.
    package init(random: some RandomSource) {
        bytes = random.bytes(Self.byteCount)
    }

    /// Derives the identifier of a login that was stored without one, by version 1.
    ///
    /// Several processes may read such a record before one of them writes it as version 2. They derive the same
    /// identifier, and so does a process that reads the record again. The identifier does not reveal the
    /// token or the key, because it is a part of their hash and the token is random.
    ///
    /// - Parameters:
    ///   - token: The session token.
    ///   - key: The device's key in its stored form.
    package init(token: Secret, key: StoredKey) {
        // The token's hash has a fixed length, so different pairs have different inputs.
        let tokenHash = SHA256Hash.hash(Array(token.exposed.utf8))
        let input = Array("latchkey login id 1".utf8) + tokenHash + key.exposed
        bytes = Array(SHA256Hash.hash(input).prefix(Self.byteCount))
    }

    /// Parses an identifier; `nil` unless it is the ``text`` of one.
    package init?(_ text: String) {
        guard let bytes = Base64URL.decode(text), bytes.count == Self.byteCount else { return nil }
        self.bytes = bytes
    }

    /// The identifier in Base64URL.
    package var text: String { Base64URL.encode(bytes) }
}
