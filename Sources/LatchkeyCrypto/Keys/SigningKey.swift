import COpenSSL
package import LatchkeyModel

/// A P-256 private key.
package struct SigningKey: Sendable {
    let handle: KeyHandle

    /// The corresponding public key.
    package let publicKey: VerifyingKey

    private static let label = "PRIVATE KEY"

    private let prepared: SigningContext

    private init(_ handle: KeyHandle) throws(CryptoError) {
        self.handle = handle
        publicKey = try VerifyingKey(handle)
        prepared = try SigningContext(handle)
    }

    /// Generates a key with OpenSSL's random number generator, which is seeded by the operating system.
    ///
    /// - Throws: ``CryptoError/Code/failed`` if OpenSSL fails.
    package static func generate() throws(CryptoError) -> SigningKey {
        guard let context = EVP_PKEY_CTX_new_id(EVP_PKEY_EC, nil) else {
            throw .openSSL(.failed, message: "The key cannot be created.")
        }
        defer { EVP_PKEY_CTX_free(context) }
        var key: OpaquePointer?
        guard
            EVP_PKEY_keygen_init(context) == 1,
            EVP_PKEY_CTX_set_ec_paramgen_curve_nid(context, NID_X9_62_prime256v1) == 1,
            EVP_PKEY_keygen(context, &key) == 1, let key
        else { throw .openSSL(.failed, message: "The key cannot be created.") }
        return try SigningKey(KeyHandle(owning: key))
    }

    /// Parses a key from PKCS#8 (RFC 5958) in DER format.
    ///
    /// The public key in the encoding must match the private key.
    ///
    /// - Throws: ``CryptoError/Code/malformed`` if the encoding is invalid, ``CryptoError/Code/unsupported``
    ///   if the key is not a P-256 key, or ``CryptoError/Code/mismatch`` if the public key does not match the
    ///   private key.
    package init(pkcs8 der: [UInt8]) throws(CryptoError) {
        try self.init(KeyHandle(pkcs8: der))
        try checkPublicKeyMatches()
    }

    /// Parses a key from PKCS#8 in PEM format.
    ///
    /// The text must contain a single block and be at most 4096 bytes long.
    package init(pkcs8PEM: Secret) throws(CryptoError) {
        try self.init(pkcs8: PEM(pkcs8PEM.exposed, label: Self.label, limit: 4096).der)
    }

    /// Returns the key as PKCS#8 in DER format.
    ///
    /// The caller must keep the result secret.
    package func pkcs8() throws(CryptoError) -> [UInt8] { try handle.pkcs8() }

    /// Returns the key as PKCS#8 in PEM format.
    package func pkcs8PEM() throws(CryptoError) -> Secret {
        Secret(PEM(label: Self.label, der: try pkcs8()).text)
    }

    /// Signs a message using ECDSA with SHA-256 and returns the signature in DER format.
    ///
    /// The signature is different each time. Several threads can sign with the same key concurrently.
    package func signature(for message: [UInt8]) throws(CryptoError) -> [UInt8] {
        guard let context = EVP_PKEY_CTX_dup(prepared.pointer) else {
            throw .openSSL(.failed, message: "The message cannot be signed.")
        }
        defer { EVP_PKEY_CTX_free(context) }
        let hash = SHA256.hash(message)
        var length = ECDSASignature.derLimit
        var signature = [UInt8](repeating: 0, count: length)
        guard EVP_PKEY_sign(context, &signature, &length, hash, hash.count) == 1 else {
            throw .openSSL(.failed, message: "The message cannot be signed.")
        }
        return Array(signature.prefix(length))
    }

    /// Signs a message with ES256 (RFC 7518) and returns r and s as 32 bytes each.
    package func rawSignature(for message: [UInt8]) throws(CryptoError) -> [UInt8] {
        guard let signature = ECDSASignature(der: try signature(for: message)) else {
            throw CryptoError(.failed, "The signature does not have the expected format.")
        }
        return signature.raw
    }

    /// Checks that the stored public key matches the private key.
    ///
    /// If the keys did not match, none of the signatures would be valid.
    private func checkPublicKeyMatches() throws(CryptoError) {
        guard let context = EVP_PKEY_CTX_new(handle.pointer, nil) else {
            throw .openSSL(.failed, message: "The private key cannot be checked.")
        }
        defer { EVP_PKEY_CTX_free(context) }
        guard EVP_PKEY_pairwise_check(context) == 1 else {
            throw .openSSL(.mismatch, message: "The public and private parts of the key do not match.")
        }
    }
}

extension SigningKey: CustomStringConvertible, CustomReflectable {
    /// A placeholder.
    ///
    /// The key itself is never printed.
    package var description: String { "‹key›" }

    /// A mirror without children, so that dumping the value does not print the key.
    package var customMirror: Mirror { Mirror(self, children: []) }
}
