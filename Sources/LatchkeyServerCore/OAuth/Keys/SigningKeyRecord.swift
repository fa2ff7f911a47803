import LatchkeyCrypto
import LatchkeyModel

/// A key of access tokens as it is kept: the public half in clear, the private one sealed.
struct SigningKeyRecord: Sendable {
    let number: Int64
    let signsFrom: Timestamp
    let publicKey: VerifyingKey
    let sealed: [UInt8]

    /// What a token's header and the key set call it: its thumbprint.
    var keyID: String { Base64URL.encode(publicKey.jwkThumbprint) }
}
