import LatchkeyCrypto
import LatchkeyModel

/// An access token signing key as it is stored in the database.
///
/// The private key is encrypted.
struct SigningKeyRecord: Sendable {
    /// The sequence number of the key.
    ///
    /// Numbers start at 1 and are the primary key in the database.
    let number: Int64
    /// When the key starts signing.
    let signsFrom: Timestamp
    /// The public key (P-256).
    ///
    /// The public key is stored in plain text so that tokens can be verified even if the private key cannot
    /// be decrypted.
    let publicKey: VerifyingKey
    /// The private key in PKCS #8 format, encrypted by ``SigningKeySealer``.
    let sealed: [UInt8]

    /// The key id (`kid`) in token headers and in the key set.
    ///
    /// This is the JWK thumbprint (RFC 7638) in base64url.
    var keyID: String { Base64URL.encode(publicKey.jwkThumbprint) }
}
