package import LatchkeyModel

/// A random identifier for a login on this device.
///
/// The device creates the identifier when a login is completed, and never sends it to a server. All processes
/// that share the record use the identifier to determine whether two records belong to the same login, even
/// if everything else has changed.
package struct LoginID: Hashable, Sendable {
    /// The length of an identifier in bytes.
    private static let byteCount = 16

    private let bytes: [UInt8]

    /// Creates an identifier for a new login.
    ///
    /// - Parameter random: The source of randomness for the 128 bits of the identifier.
    package init(random: some RandomSource) {
        bytes = random.bytes(Self.byteCount)
    }

    /// Derives an identifier for a login whose version 1 record doesn't contain one.
    ///
    /// Several processes may read a version 1 record before one of them rewrites the record as version 2. The
    /// processes all derive the same identifier, and so does a process that reads the record again. The
    /// identifier doesn't reveal the token or the key, because it is part of a hash that includes the random
    /// token.
    ///
    /// - Parameters:
    ///   - token: The session token.
    ///   - key: The device key in its stored form.
    package init(token: Secret, key: StoredKey) {
        // The hash of the token has a fixed length, so different tokens and keys always result in different
        // inputs.
        let tokenHash = SHA256Hash.hash(Array(token.exposed.utf8))
        let input = Array("latchkey login id 1".utf8) + tokenHash + key.exposed
        bytes = Array(SHA256Hash.hash(input).prefix(Self.byteCount))
    }

    /// Parses an identifier.
    ///
    /// Returns `nil` if the string isn't the ``text`` of an identifier.
    package init?(_ text: String) {
        guard let bytes = Base64URL.decode(text), bytes.count == Self.byteCount else { return nil }
        self.bytes = bytes
    }

    /// The identifier encoded as Base64URL.
    package var text: String { Base64URL.encode(bytes) }
}
