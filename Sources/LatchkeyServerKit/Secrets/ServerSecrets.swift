package import LatchkeyCrypto

/// The server's secrets: the first one signs, and all of them verify.
///
/// To rotate secrets, add a new one at the front. Everything that was signed with the old secrets remains
/// valid.
package struct ServerSecrets: Sendable {
    /// The purpose of a derived key.
    ///
    /// Keys for different purposes are independent (HKDF).
    ///
    /// The raw values are inputs to the key derivation, so changing one invalidates everything protected with
    /// the keys for that purpose.
    package struct Purpose: RawRepresentable, Hashable, Sendable {
        /// The `info` input of HKDF (RFC 5869).
        package let rawValue: String

        package init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// Computes the MACs in flow ids.
        package static let flowID = Purpose(rawValue: "latchkey flow id")
        /// Computes the MACs of one-time codes.
        package static let code = Purpose(rawValue: "latchkey phone code")
        /// Encrypts messages in the outbox.
        package static let message = Purpose(rawValue: "latchkey message")
        /// Derives the admin tokens, one from each secret.
        package static let adminToken = Purpose(rawValue: "latchkey admin token")
        /// Selects the decoy hashes for unknown accounts.
        package static let decoy = Purpose(rawValue: "latchkey decoy hash")
        /// Computes the keyed hashes under which rate limits and known networks are stored.
        package static let limits = Purpose(rawValue: "latchkey limits")
        /// Computes the keyed hashes of identifiers in the audit log.
        package static let auditTrace = Purpose(rawValue: "latchkey audit trace")
        /// Computes the MACs of DPoP nonces.
        package static let proofNonce = Purpose(rawValue: "latchkey proof nonce")
        /// Computes the MACs in refresh tokens.
        package static let refreshToken = Purpose(rawValue: "latchkey refresh token")
        /// Encrypts the private keys that sign access tokens.
        package static let signingKey = Purpose(rawValue: "latchkey signing key")
        /// Computes the fingerprints of secrets in ``KeyRegister``.
        package static let fingerprint = Purpose(rawValue: "latchkey fingerprint")
        /// Computes the ids of secrets in ``IdentifiedKey``.
        package static let secretID = Purpose(rawValue: "latchkey secret id")
    }

    /// A derived key, with the id of the secret from which it was derived.
    package struct IdentifiedKey: Sendable {
        /// A four-bit number, which two secrets may share by chance.
        package let id: UInt8
        /// The derived key, for use with HMAC.
        package let key: HMACKey
    }

    private let secrets: [[UInt8]]

    /// Creates the secrets of a server from the current secret and its predecessors.
    ///
    /// - Parameters:
    ///   - signing: The secret that signs, which has at least 16 random bytes.
    ///   - older: Previous secrets, which only verify.
    package init(signing: [UInt8], older: [[UInt8]] = []) {
        secrets = [signing] + older
    }

    /// Returns the signing key for a purpose as 32 bytes.
    package func keyBytes(for purpose: Purpose) -> [UInt8] {
        HKDF.key(from: secrets[0], info: Array(purpose.rawValue.utf8))
    }

    /// Returns the bytes of all keys for a purpose, the signing key first.
    ///
    /// Each key is 32 bytes long.
    package func allKeyBytes(for purpose: Purpose) -> [[UInt8]] {
        secrets.map { HKDF.key(from: $0, info: Array(purpose.rawValue.utf8)) }
    }

    /// Returns the signing key for a purpose.
    ///
    /// The derivation takes a few microseconds, so callers should store the key.
    package func key(for purpose: Purpose) -> HMACKey {
        HMACKey(bytes: keyBytes(for: purpose))
    }

    /// Returns all keys for a purpose with their ids, the signing key first.
    package func keys(for purpose: Purpose) -> [IdentifiedKey] {
        secrets.map { secret in
            let id = HKDF.key(from: secret, info: Array(Purpose.secretID.rawValue.utf8), count: 1)
            return IdentifiedKey(
                id: id[0] & 15,
                key: HMACKey(bytes: HKDF.key(from: secret, info: Array(purpose.rawValue.utf8)))
            )
        }
    }
}
