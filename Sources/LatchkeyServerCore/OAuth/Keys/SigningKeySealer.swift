import LatchkeyCrypto
import LatchkeyModel

/// Hides the private halves of keys in the database: a copy of it signs nothing.
struct SigningKeySealer: Sendable {
    private let secrets: ServerSecrets
    private let random: any RandomSource

    init(_ secrets: ServerSecrets, random: any RandomSource) {
        self.secrets = secrets
        self.random = random
    }

    /// Seals a key under the first of the server's secrets.
    func seal(_ key: SigningKey, _ slot: KeyRotation.Slot) throws(CryptoError) -> SigningKeyRecord {
        let sealer = try AESGCM(key: secrets.keyBytes(for: .signingKey))
        return SigningKeyRecord(
            number: slot.number,
            signsFrom: slot.signsFrom,
            publicKey: key.publicKey,
            sealed: try sealer.seal(key.pkcs8(), context: key.publicKey.der, random: random)
        )
    }

    /// Opens a key that was sealed under any of the server's secrets; nothing when that secret is gone.
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
