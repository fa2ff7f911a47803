import LatchkeyCrypto
import LatchkeyModel

/// The stored record of an access token signing key, with its encrypted private key.
struct SigningKeyRecord: Sendable {
    /// The sequence number, which starts at 1 and is the primary key in the database.
    let number: Int64
    /// The time from which the key signs.
    let signsFrom: Timestamp
    /// The public key (P-256), which is stored in plain text so that tokens can be verified even if the
    /// private key cannot be decrypted.
    let publicKey: VerifyingKey
    /// The private key in PKCS #8, encrypted by ``SigningKeySealer``.
    let sealed: [UInt8]

    /// The key id (`kid`) in token headers and in the key set: the JWK thumbprint (RFC 7638) in base64url.
    var keyID: String { Base64URL.encode(publicKey.jwkThumbprint) }
}
