import LatchkeyCrypto
import LatchkeyModel
import LatchkeyServerKit

/// Encrypts private keys for storage, so a copy of the database cannot be used to sign tokens.
struct SigningKeySealer: Sendable {
    private let secrets: ServerSecrets
    private let random: any RandomSource

    /// Creates a sealer; each call derives the encryption keys from the secrets, and `random` provides the
    /// nonces.
    init(_ secrets: ServerSecrets, random: any RandomSource) {
        self.secrets = secrets
        self.random = random
    }

    /// Encrypts a key with the first server secret, and authenticates it together with its public key.
    ///
    /// The encoded public key is the additional authenticated data of AES-GCM, so encrypted keys cannot be
    /// swapped between rows.
    ///
    /// - Parameters:
    ///   - key: The key pair.
    ///   - slot: The number and the start time of the record.
    /// - Returns: The record to store.
    /// - Throws: ``CryptoError`` if OpenSSL fails.
    func seal(_ key: SigningKey, for slot: KeyRotation.Slot) throws(CryptoError) -> SigningKeyRecord {
        let sealer = try AESGCM(key: secrets.keyBytes(for: .signingKey))
        return SigningKeyRecord(
            number: slot.number,
            signsFrom: slot.signsFrom,
            publicKey: key.publicKey,
            sealed: try sealer.seal(key.pkcs8(), context: key.publicKey.der, random: random)
        )
    }

    /// Decrypts a key with any of the server secrets; returns `nil` if the secret that encrypted it was
    /// removed.
    ///
    /// The result is also `nil` if the record is damaged or if the private key does not match the public key.
    func open(_ record: SigningKeyRecord) -> SigningKey? {
        for bytes in secrets.allKeyBytes(for: .signingKey) {
            guard
                let sealer = try? AESGCM(key: bytes),
                let der = try? sealer.open(record.sealed, context: record.publicKey.der),
                let key = try? SigningKey(pkcs8: der), key.publicKey == record.publicKey
            else { continue }
            return key
        }
        return nil
    }
}
