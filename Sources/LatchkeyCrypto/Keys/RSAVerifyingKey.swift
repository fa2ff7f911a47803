import COpenSSL
import LatchkeyModel

/// A public RSA key that is used to verify other parties' signatures.
package struct RSAVerifyingKey: Sendable {
    private let handle: KeyHandle

    /// The object identifier 1.2.840.113549.1.1.1 with NULL parameters (RFC 8017, appendix A.1).
    private static let algorithm: [UInt8] = [
        0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x01, 0x05, 0x00,
    ]

    /// Creates a key from the modulus and the exponent in big-endian byte order.
    ///
    /// - Parameters:
    ///   - modulus: The modulus. The caller must make sure that the modulus isn't too large.
    ///   - exponent: The public exponent.
    /// - Throws: ``CryptoError/Code/malformed`` if OpenSSL does not accept the numbers.
    package init(modulus: [UInt8], exponent: [UInt8]) throws(CryptoError) {
        var numbers = DERWriter()
        numbers.append(.sequence) { numbers in
            numbers.append(unsigned: modulus)
            numbers.append(unsigned: exponent)
        }
        var key = DERWriter()
        key.append(.sequence) { key in
            key.append(.sequence) { $0.append(encoded: Self.algorithm) }
            key.append(bitString: numbers.bytes)
        }
        let pointer = DER.decode(key.bytes) {
            d2i_PUBKEY(nil, $0, $1)
        } free: {
            EVP_PKEY_free($0)
        }
        guard let pointer else { throw .openSSL(.malformed, message: "The RSA key cannot be decoded.") }
        handle = KeyHandle(owning: pointer)
    }

    /// Returns whether a message's RS256 signature is valid for this key (RFC 7518, section 3.3).
    package func isValid(_ signature: [UInt8], for message: [UInt8]) -> Bool {
        guard let context = EVP_MD_CTX_new() else { return false }
        defer {
            EVP_MD_CTX_free(context)
            ERR_clear_error()
        }
        // PKCS #1 v1.5 is OpenSSL's default padding.
        return EVP_DigestVerifyInit(context, nil, EVP_sha256(), nil, handle.pointer) == 1
            && EVP_DigestVerify(context, signature, signature.count, message, message.count) == 1
    }
}
