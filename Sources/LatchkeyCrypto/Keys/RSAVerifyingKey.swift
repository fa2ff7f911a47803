import COpenSSL
import LatchkeyModel

/// An RSA public key.
package struct RSAVerifyingKey: Sendable {
    private let handle: KeyHandle

    /// The modulus in big-endian byte order, without leading zeros.
    package let modulus: [UInt8]

    /// The public exponent in big-endian byte order, without leading zeros.
    package let exponent: [UInt8]

    /// The key as SubjectPublicKeyInfo (RFC 5280) in DER format.
    package let der: [UInt8]

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
        self.modulus = Array(modulus.drop { $0 == 0 })
        self.exponent = Array(exponent.drop { $0 == 0 })
        der = Self.encode(modulus: self.modulus, exponent: self.exponent)
        handle = try Self.decode(der)
    }

    /// Parses a key from SubjectPublicKeyInfo in DER format.
    ///
    /// Only the encoding with the identifier of RSA encryption is accepted, so each key has exactly one
    /// encoding.
    ///
    /// - Throws: ``CryptoError/Code/malformed`` if the encoding is invalid, or
    ///   ``CryptoError/Code/unsupported`` if the key isn't an RSA key or is encoded differently.
    package init(der: [UInt8]) throws(CryptoError) {
        try self.init(Self.decode(der))
        guard self.der == der else {
            throw CryptoError(.unsupported, "The key is not encoded as an RSA key usually is.")
        }
    }

    /// Creates a key from an OpenSSL key, which may be a key pair.
    init(_ handle: KeyHandle) throws(CryptoError) {
        guard EVP_PKEY_get_base_id(handle.pointer) == EVP_PKEY_RSA else {
            throw CryptoError(.unsupported, "The key is not an RSA key.")
        }
        try self.init(
            modulus: Self.number("n", of: handle),
            exponent: Self.number("e", of: handle)
        )
    }

    private static func encode(modulus: [UInt8], exponent: [UInt8]) -> [UInt8] {
        var numbers = DERWriter()
        numbers.append(.sequence) { numbers in
            numbers.append(unsigned: modulus)
            numbers.append(unsigned: exponent)
        }
        var key = DERWriter()
        key.append(.sequence) { key in
            key.append(.sequence) { $0.append(encoded: algorithm) }
            key.append(bitString: numbers.bytes)
        }
        return key.bytes
    }

    private static func decode(_ der: [UInt8]) throws(CryptoError) -> KeyHandle {
        let pointer = DER.decode(der) {
            d2i_PUBKEY(nil, $0, $1)
        } free: {
            EVP_PKEY_free($0)
        }
        guard let pointer else { throw .openSSL(.malformed, message: "The RSA key cannot be decoded.") }
        return KeyHandle(owning: pointer)
    }

    /// Returns a public number of a key by the name that OpenSSL has for it.
    private static func number(_ name: String, of handle: KeyHandle) throws(CryptoError) -> [UInt8] {
        var number: OpaquePointer?
        guard EVP_PKEY_get_bn_param(handle.pointer, name, &number) == 1, let number else {
            throw .openSSL(.failed, message: "The RSA key cannot be encoded.")
        }
        defer { BN_free(number) }
        var bytes = [UInt8](repeating: 0, count: Int(BN_num_bits(number) + 7) / 8)
        BN_bn2bin(number, &bytes)
        return bytes
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

extension RSAVerifyingKey: Hashable {
    /// Returns whether two keys have the same encoding.
    package static func == (left: RSAVerifyingKey, right: RSAVerifyingKey) -> Bool { left.der == right.der }

    /// Hashes the key's encoding.
    package func hash(into hasher: inout Hasher) { hasher.combine(der) }
}
