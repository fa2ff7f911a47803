public import LatchkeyCore
import LatchkeyCrypto

/// A signature verifier for ES256 and RS256 that uses OpenSSL.
public struct SoftwareSignatureVerifier: SignatureVerifier {
    /// Creates the verifier.
    public init() {}

    /// Returns whether a signature is valid.
    ///
    /// - Parameters:
    ///   - signature: The signature in the format used by JSON Web Signatures (RFC 7518).
    ///   - message: The signed bytes, not their hash.
    ///   - key: The public key, which also determines the algorithm.
    /// - Returns: `false` if the signature is invalid, or if the key is malformed or not on its curve.
    public func isValid(_ signature: [UInt8], for message: [UInt8], by key: SignatureKey) -> Bool {
        guard key.isWellFormed else { return false }
        switch key {
        case .es256(let x, let y):
            return (try? VerifyingKey(x: x, y: y))?.isValid(raw: signature, for: message) ?? false
        case .rs256(let modulus, let exponent):
            let key = try? RSAVerifyingKey(modulus: modulus, exponent: exponent)
            return key?.isValid(signature, for: message) ?? false
        }
    }
}
