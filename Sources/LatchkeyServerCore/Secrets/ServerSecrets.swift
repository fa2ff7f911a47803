package import LatchkeyCrypto

/// The server's secrets: the first signs, all verify, so that one can be replaced without breaking what is out there.
package struct ServerSecrets: Sendable {
    /// What a derived key is for; keys for different purposes have nothing in common.
    package struct Purpose: RawRepresentable, Hashable, Sendable {
        package let rawValue: String

        package init(rawValue: String) {
            self.rawValue = rawValue
        }

        package static let flowID = Purpose(rawValue: "latchkey flow id")
        package static let code = Purpose(rawValue: "latchkey phone code")
        package static let message = Purpose(rawValue: "latchkey message")
        package static let adminToken = Purpose(rawValue: "latchkey admin token")
        package static let decoy = Purpose(rawValue: "latchkey decoy hash")
        package static let limits = Purpose(rawValue: "latchkey limits")
        package static let auditTrace = Purpose(rawValue: "latchkey audit trace")
        package static let proofNonce = Purpose(rawValue: "latchkey proof nonce")
        package static let refreshToken = Purpose(rawValue: "latchkey refresh token")
        package static let signingKey = Purpose(rawValue: "latchkey signing key")
        package static let fingerprint = Purpose(rawValue: "latchkey fingerprint")
        package static let secretID = Purpose(rawValue: "latchkey secret id")
    }

    /// A key with the id of the secret it comes from.
    package struct IdentifiedKey: Sendable {
        /// Four bits; two secrets may share an id by chance.
        package let id: UInt8
        package let key: HMACKey
    }

    private let secrets: [[UInt8]]

    /// Creates the list.
    ///
    /// - Parameters:
    ///   - signing: The secret that signs; at least 16 random bytes.
    ///   - older: Those that only verify.
    package init(signing: [UInt8], older: [[UInt8]] = []) {
        secrets = [signing] + older
    }

    /// The bytes of the signing key for a purpose; 32 of them.
    package func keyBytes(for purpose: Purpose) -> [UInt8] {
        HKDF.key(from: secrets[0], info: Array(purpose.rawValue.utf8))
    }

    /// The bytes of all keys for a purpose, those of the signing one first.
    package func allKeyBytes(for purpose: Purpose) -> [[UInt8]] {
        secrets.map { HKDF.key(from: $0, info: Array(purpose.rawValue.utf8)) }
    }

    /// The signing key for a purpose; deriving it costs some microseconds, so users keep it.
    package func key(for purpose: Purpose) -> HMACKey {
        HMACKey(bytes: keyBytes(for: purpose))
    }

    /// All keys for a purpose, the signing one first.
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
