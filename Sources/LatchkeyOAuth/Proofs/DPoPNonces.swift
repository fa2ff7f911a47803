import LatchkeyCrypto
package import LatchkeyModel
package import LatchkeyServerKit

/// Issues and verifies nonces, which show that a proof is fresh even if the device's clock is wrong (RFC
/// 9449, section 8).
///
/// A nonce is the server's time with a MAC, so it needs no storage and any node can verify it.
package struct DPoPNonces: Sendable {
    /// How long a nonce is valid.
    ///
    /// A nonce may be used for several proofs within this time.
    package static let lifespan = Duration.seconds(300)

    /// The maximum clock skew between two nodes.
    private static let skew = Duration.seconds(5)
    /// The length of the truncated MAC in bytes; the MAC follows a one-byte key id and the eight bytes of the
    /// time.
    private static let macLength = 16

    /// The MAC keys for all secrets, beginning with the key that issues nonces.
    private let keys: [ServerSecrets.IdentifiedKey]

    /// Creates the issuer; it accepts nonces that were issued with any of the secrets.
    package init(secrets: ServerSecrets) {
        keys = secrets.keys(for: .proofNonce)
    }

    /// Issues a nonce that is authenticated with the first server secret.
    ///
    /// The text is base64url of 25 bytes: the id of the secret, the time in microseconds (big-endian) and the
    /// MAC.
    package func issue(at now: Timestamp) -> String {
        let message = [keys[0].id] + Self.bytes(now.microseconds)
        return Base64URL.encode(message + keys[0].key.authenticate(message).prefix(Self.macLength))
    }

    /// Returns whether a string is a nonce that this server issued and that has not expired.
    ///
    /// The check does not consume the nonce.
    package func isFresh(_ nonce: String, at now: Timestamp) -> Bool {
        time(of: nonce, at: now) != nil
    }

    /// Returns the time at which a nonce was issued; `nil` if the nonce is invalid or has expired.
    ///
    /// For nonces from other nodes, a time of up to 5 seconds in the future is accepted.
    ///
    /// A string of more than 64 bytes is rejected without decoding it. The MAC is compared in constant time.
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

    /// Returns the eight bytes of a number, most significant byte first.
    private static func bytes(_ number: Int64) -> [UInt8] {
        stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: number >> $0) }
    }
}
