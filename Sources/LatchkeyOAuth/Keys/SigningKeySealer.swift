import LatchkeyCrypto
import LatchkeyModel
import LatchkeyServerKit

/// Encrypts private keys before they are stored.
///
/// A copy of the database cannot be used to sign tokens.
struct SigningKeySealer: Sendable {
    private let secrets: ServerSecrets
    private let random: any RandomSource

    /// Creates a sealer.
    ///
    /// Each call derives the encryption keys from the secrets.
    init(_ secrets: ServerSecrets, random: any RandomSource) {
        self.secrets = secrets
        self.random = random
    }

    /// Encrypts a private key with the first server secret.
    ///
    /// The encoded public key is the additional authenticated data for AES-GCM, so encrypted keys cannot be
    /// swapped between rows.
    ///
    /// - Parameters:
    ///   - key: The key pair.
    ///   - slot: The number and the start time of the key.
    /// - Returns: The record to store.
    /// - Throws: ``CryptoError`` if OpenSSL fails.
    func seal(_ key: JWSSigningKey, for slot: KeyRotation.Slot) throws(CryptoError) -> SigningKeyRecord {
        let sealer = try AESGCM(key: secrets.keyBytes(for: .signingKey))
        return SigningKeyRecord(
            number: slot.number,
            signsFrom: slot.signsFrom,
            publicKey: key.publicKey,
            sealed: try sealer.seal(key.pkcs8(), context: key.publicKey.der, random: random)
        )
    }

    /// Decrypts a private key with any of the server's secrets.
    ///
    /// Returns `nil` if the secret that the key was encrypted with has been removed, if the record is
    /// damaged, or if the private key doesn't match the public key.
    func open(_ record: SigningKeyRecord) -> JWSSigningKey? {
        for bytes in secrets.allKeyBytes(for: .signingKey) {
            guard
                let sealer = try? AESGCM(key: bytes),
                let der = try? sealer.open(record.sealed, context: record.publicKey.der),
                let key = try? JWSSigningKey(pkcs8: der, algorithm: record.algorithm),
                key.publicKey == record.publicKey
            else { continue }
            return key
        }
        return nil
    }
}
