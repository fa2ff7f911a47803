import LatchkeyCrypto
package import LatchkeyModel
package import LatchkeyServerKit

/// Issues and verifies nonces (RFC 9449, section 8).
///
/// A nonce shows that a proof is fresh, even if the device's clock is wrong. Nonces consist of the server's
/// time and a MAC. Nonces are not stored, and any node can verify them.
package struct DPoPNonces: Sendable {
    /// How long a nonce is valid.
    ///
    /// A nonce can be used for several proofs until it expires.
    package static let lifespan = Duration.seconds(300)

    /// The maximum clock skew between two nodes.
    private static let skew = Duration.seconds(5)
    /// The length of the truncated MAC, in bytes.
    ///
    /// The MAC is preceded by a one-byte key id and eight bytes for the time.
    private static let macLength = 16

    /// The MAC keys for all secrets.
    ///
    /// The first key is used to issue nonces.
    private let keys: [ServerSecrets.IdentifiedKey]

    /// Creates an issuer that accepts nonces issued with any of the secrets.
    package init(secrets: ServerSecrets) {
        keys = secrets.keys(for: .proofNonce)
    }

    /// Issues a nonce and authenticates it with the first server secret.
    ///
    /// The nonce is 25 bytes in base64url: the id of the secret, the time in microseconds (big-endian) and
    /// the MAC.
    package func issue(at now: Timestamp) -> String {
        let message = [keys[0].id] + Self.bytes(now.microseconds)
        return Base64URL.encode(message + keys[0].key.authenticate(message).prefix(Self.macLength))
    }

    /// Returns whether this server issued the nonce and the nonce hasn't expired.
    ///
    /// The nonce isn't consumed and can be used again.
    package func isFresh(_ nonce: String, at now: Timestamp) -> Bool {
        time(of: nonce, at: now) != nil
    }

    /// Returns the time when a nonce was issued, or `nil` if the nonce is invalid or has expired.
    ///
    /// The time may be up to 5 seconds in the future, because the clocks of the nodes may differ.
    ///
    /// Nonces longer than 64 bytes are rejected before they are decoded. The MAC is compared in constant
    /// time.
    package func time(of nonce: String, at now: Timestamp) -> Timestamp? {
        guard
            nonce.utf8.count <= 64, let bytes = Base64URL.decode(nonce), bytes.count == 9 + Self.macLength
        else { return nil }
        let message = Array(bytes.prefix(9))
        let mac = Array(bytes.suffix(Self.macLength))
        let isAuthentic = keys.contains { key in
            key.id == message[0]
                && ConstantTime.equal(Array(key.key.authenticate(message).prefix(Self.macLength)), mac)
        }
        let time = Timestamp(
            microseconds: Int64(bitPattern: message.dropFirst().reduce(0) { $0 << 8 | UInt64($1) })
        )
        return isAuthentic && time <= now + Self.skew && now - time < Self.lifespan ? time : nil
    }

    /// Returns a number as eight bytes, starting with the most significant byte.
    private static func bytes(_ number: Int64) -> [UInt8] {
        stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: number >> $0) }
    }
}
