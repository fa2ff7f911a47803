import LatchkeyCrypto
import LatchkeyModel

/// A signing key as it is stored in the database.
///
/// The private key is encrypted.
struct SigningKeyRecord: Sendable {
    /// The sequence number of the key.
    ///
    /// The numbers of each algorithm's keys start at 1. The algorithm and the number are the primary key in the
    /// database.
    let number: Int64
    /// When the key starts signing.
    let signsFrom: Timestamp
    /// The public key, which determines the algorithm.
    ///
    /// The public key is stored in plain text so that tokens can be verified even if the private key cannot
    /// be decrypted.
    let publicKey: JWSVerifyingKey
    /// The private key in PKCS #8 format, encrypted by ``SigningKeySealer``.
    let sealed: [UInt8]

    var algorithm: SigningAlgorithm { publicKey.algorithm }

    /// The key id (`kid`) in token headers and in the key set.
    ///
    /// This is the JWK thumbprint (RFC 7638) in base64url.
    var keyID: String { Base64URL.encode(publicKey.jwkThumbprint) }
}
