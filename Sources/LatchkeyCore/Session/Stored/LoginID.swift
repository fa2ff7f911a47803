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
