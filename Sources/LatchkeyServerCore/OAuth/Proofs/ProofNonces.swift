import LatchkeyCrypto
package import LatchkeyModel

/// The nonces that let a device with a wrong clock prove that a proof is fresh (RFC 9449, section 8).
///
/// A nonce is the server's time under a key, so that nothing needs to be kept and any node can judge it.
package struct ProofNonces: Sendable {
    /// How long a nonce is good.
    package static let lifespan = Duration.seconds(300)

    /// How far the clocks of two nodes may lie apart.
    private static let skew = Duration.seconds(5)
    private static let macLength = 16

    private let keys: [ServerSecrets.IdentifiedKey]

    package init(secrets: ServerSecrets) {
        keys = secrets.keys(for: .proofNonce)
    }

    /// Makes a nonce.
    package func issue(at now: Timestamp) -> String {
        let message = [keys[0].id] + Self.bytes(now.microseconds)
        return Base64URL.encode(message + keys[0].key.authenticate(message).prefix(Self.macLength))
    }

    /// Tells whether a text is a nonce that was made here in the last minutes.
    package func isFresh(_ nonce: String, at now: Timestamp) -> Bool {
        time(of: nonce, at: now) != nil
    }

    /// When a nonce was made; nothing for a text that is no fresh one.
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

    private static func bytes(_ number: Int64) -> [UInt8] {
        stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: number >> $0) }
    }
}
