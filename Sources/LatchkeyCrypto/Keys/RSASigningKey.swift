import COpenSSL

/// An RSA private key with a modulus of 2048 bits.
package struct RSASigningKey: Sendable {
    private static let bits: Int32 = 2048

    private let handle: KeyHandle

    /// The corresponding public key.
    package let publicKey: RSAVerifyingKey

    private init(_ handle: KeyHandle) throws(CryptoError) {
        self.handle = handle
        publicKey = try RSAVerifyingKey(handle)
        guard EVP_PKEY_get_bits(handle.pointer) == Self.bits else {
            throw CryptoError(.unsupported, "The RSA key does not have \(Self.bits) bits.")
        }
    }

    /// Generates a key with OpenSSL's random number generator.
    ///
    /// The search for primes blocks the calling thread, in rare cases for more than a second.
    ///
    /// - Throws: ``CryptoError/Code/failed`` if OpenSSL fails.
    package static func generate() throws(CryptoError) -> RSASigningKey {
        guard let context = EVP_PKEY_CTX_new_id(EVP_PKEY_RSA, nil) else {
            throw .openSSL(.failed, message: "The RSA key cannot be created.")
        }
        defer { EVP_PKEY_CTX_free(context) }
        var key: OpaquePointer?
        guard
            EVP_PKEY_keygen_init(context) == 1, EVP_PKEY_CTX_set_rsa_keygen_bits(context, bits) == 1,
            EVP_PKEY_keygen(context, &key) == 1, let key
        else { throw .openSSL(.failed, message: "The RSA key cannot be created.") }
        return try RSASigningKey(KeyHandle(owning: key))
    }

    /// Parses a key from PKCS#8 (RFC 5958) in DER format.
    ///
    /// - Throws: ``CryptoError/Code/malformed`` if the encoding is invalid, ``CryptoError/Code/unsupported``
    ///   if the key is not an RSA key of 2048 bits, or ``CryptoError/Code/mismatch`` if its signatures
    ///   aren't valid for its public key.
    package init(pkcs8 der: [UInt8]) throws(CryptoError) {
        try self.init(KeyHandle(pkcs8: der))
        // OpenSSL's own check tests the primes again, which takes a hundred times as long as a signature.
        let message: [UInt8] = [0]
        guard let signature = try? signature(for: message), publicKey.isValid(signature, for: message) else {
            throw CryptoError(.mismatch, "The public and private parts of the key do not match.")
        }
    }

    /// Returns the key as PKCS#8 in DER format.
    ///
    /// The caller must keep the result secret.
    package func pkcs8() throws(CryptoError) -> [UInt8] { try handle.pkcs8() }

    /// Signs a message with RS256 (RFC 7518, section 3.3).
    ///
    /// Several threads can sign with the same key concurrently.
    package func signature(for message: [UInt8]) throws(CryptoError) -> [UInt8] {
        guard let context = EVP_MD_CTX_new() else {
            throw .openSSL(.failed, message: "The message cannot be signed.")
        }
        defer { EVP_MD_CTX_free(context) }
        var length = Int(Self.bits) / 8
        var signature = [UInt8](repeating: 0, count: length)
        guard
            EVP_DigestSignInit(context, nil, EVP_sha256(), nil, handle.pointer) == 1,
            EVP_DigestSign(context, &signature, &length, message, message.count) == 1
        else { throw .openSSL(.failed, message: "The message cannot be signed.") }
        return Array(signature.prefix(length))
    }
}

extension RSASigningKey: CustomStringConvertible, CustomReflectable {
    /// A placeholder.
    ///
    /// The key itself is never printed.
    package var description: String { "‹key›" }

    /// A mirror without children, so that dumping the value does not print the key.
    package var customMirror: Mirror { Mirror(self, children: []) }
}
