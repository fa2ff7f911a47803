package import LatchkeyCrypto

/// The server's secrets.
///
/// The first secret is used for signing, and all of them are used for verification.
///
/// To rotate secrets, add a new one at the front. Everything that was signed with an older secret remains
/// valid.
package struct ServerSecrets: Sendable {
    /// The purpose that a key is derived for.
    ///
    /// Keys for different purposes are independent of each other (HKDF).
    ///
    /// The raw value is one of the inputs of the key derivation. Changing the raw value invalidates
    /// everything that is protected with the keys for this purpose.
    package struct Purpose: RawRepresentable, Hashable, Sendable {
        /// The value of the `info` parameter of HKDF (RFC 5869).
        package let rawValue: String

        package init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// Keys for computing the MACs in flow ids.
        package static let flowID = Purpose(rawValue: "latchkey flow id")
        /// Keys for computing the MACs that bind flows to browsers.
        package static let flowBinding = Purpose(rawValue: "latchkey flow binding")
        /// Keys for computing the MACs in the ids of errors that browsers are shown.
        package static let errorID = Purpose(rawValue: "latchkey error id")
        /// Keys for computing logout tokens.
        package static let logoutToken = Purpose(rawValue: "latchkey logout token")
        /// Keys for computing the MACs in mailed links.
        package static let mailedLink = Purpose(rawValue: "latchkey mailed link")
        /// Keys for computing the MACs of one-time codes.
        package static let code = Purpose(rawValue: "latchkey code")
        /// Keys for encrypting the messages in the outbox.
        package static let message = Purpose(rawValue: "latchkey message")
        /// Keys for deriving the admin tokens.
        ///
        /// A separate token is derived from each secret.
        package static let adminToken = Purpose(rawValue: "latchkey admin token")
        /// Keys for selecting the decoy hashes that are used for unknown accounts.
        package static let decoy = Purpose(rawValue: "latchkey decoy hash")
        /// Keys for the keyed hashes that identify rate limits and known networks.
        package static let limits = Purpose(rawValue: "latchkey limits")
        /// Keys for hashing the identifiers in the audit log.
        package static let auditTrace = Purpose(rawValue: "latchkey audit trace")
        /// Keys for computing the MACs of DPoP nonces.
        package static let proofNonce = Purpose(rawValue: "latchkey proof nonce")
        /// Keys for computing the MACs in refresh tokens.
        package static let refreshToken = Purpose(rawValue: "latchkey refresh token")
        /// Authenticates the refresh tokens of OAuth clients.
        package static let grantToken = Purpose(rawValue: "latchkey grant token")
        /// Keys for encrypting the private keys that sign access tokens.
        package static let signingKey = Purpose(rawValue: "latchkey signing key")
        /// Keys for computing the fingerprints of secrets in ``KeyRegister``.
        package static let fingerprint = Purpose(rawValue: "latchkey fingerprint")
        /// Keys for computing the secret ids in ``IdentifiedKey``.
        package static let secretID = Purpose(rawValue: "latchkey secret id")
    }

    /// A derived key, along with the id of the secret that it was derived from.
    package struct IdentifiedKey: Sendable {
        /// A four-bit number that identifies the secret.
        ///
        /// Two secrets may have the same id by chance.
        package let id: UInt8
        /// The derived key for HMAC.
        package let key: HMACKey
    }

    private let secrets: [[UInt8]]

    /// Creates a server's secrets from its current secret and any previous ones.
    ///
    /// - Parameters:
    ///   - signing: The secret to sign with. The secret should consist of at least 16 random bytes.
    ///   - older: Previous secrets, which are only used to verify signatures.
    package init(signing: [UInt8], older: [[UInt8]] = []) {
        secrets = [signing] + older
    }

    /// Returns the 32 bytes of the signing key for a purpose.
    package func keyBytes(for purpose: Purpose) -> [UInt8] {
        HKDF.key(from: secrets[0], info: Array(purpose.rawValue.utf8))
    }

    /// Returns the bytes of all keys for a purpose, starting with the signing key.
    ///
    /// Each key is 32 bytes long.
    package func allKeyBytes(for purpose: Purpose) -> [[UInt8]] {
        secrets.map { HKDF.key(from: $0, info: Array(purpose.rawValue.utf8)) }
    }

    /// Returns the signing key for a purpose.
    ///
    /// Deriving a key takes a few microseconds, so callers should store the result.
    package func key(for purpose: Purpose) -> HMACKey {
        HMACKey(bytes: keyBytes(for: purpose))
    }

    /// Returns all keys for a purpose along with their ids, starting with the signing key.
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
