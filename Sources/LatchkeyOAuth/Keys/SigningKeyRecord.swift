import LatchkeyCrypto
import LatchkeyModel

/// The stored record of an access token signing key, with its private key encrypted.
struct SigningKeyRecord: Sendable {
    let number: Int64
    let signsFrom: Timestamp
    let publicKey: VerifyingKey
    let sealed: [UInt8]

    /// The key id (`kid`) in token headers and in the key set: the JWK thumbprint (RFC 7638) in base64url.
    var keyID: String { Base64URL.encode(publicKey.jwkThumbprint) }
}
