import COpenSSL

/// Owns an `EVP_PKEY`.
///
/// `@unchecked Sendable` is safe because the key is not modified after initialization, and OpenSSL protects
/// the caches inside a key with its own locks. Several threads can use the same key concurrently to sign,
/// verify and encode.
final class KeyHandle: @unchecked Sendable {
    let pointer: OpaquePointer
    private let pool: PublicKeyPool?

    /// Takes ownership of a reference to a key.
    ///
    /// If there is a pool, the key is returned to it instead of being freed.
    init(owning pointer: OpaquePointer, returningTo pool: PublicKeyPool? = nil) {
        self.pointer = pointer
        self.pool = pool
    }

    deinit {
        if let pool { pool.release(pointer) } else { EVP_PKEY_free(pointer) }
    }
}

extension KeyHandle {
    /// Parses a private key of any type from PKCS#8 (RFC 5958) in DER format.
    ///
    /// - Throws: ``CryptoError/Code/malformed`` if the encoding is invalid.
    convenience init(pkcs8 der: [UInt8]) throws(CryptoError) {
        let decoded = DER.decode(
            der,
            with: { d2i_PKCS8_PRIV_KEY_INFO(nil, $0, $1) },
            free: { PKCS8_PRIV_KEY_INFO_free($0) }
        )
        guard let decoded else { throw .openSSL(.malformed, message: "The private key is not PKCS#8.") }
        defer { PKCS8_PRIV_KEY_INFO_free(decoded) }
        guard let key = EVP_PKCS82PKEY(decoded) else {
            throw .openSSL(.malformed, message: "The private key cannot be decoded.")
        }
        self.init(owning: key)
    }

    /// Returns the private key as PKCS#8 in DER format.
    func pkcs8() throws(CryptoError) -> [UInt8] {
        guard let info = EVP_PKEY2PKCS8(pointer) else {
            throw .openSSL(.failed, message: "The private key cannot be encoded.")
        }
        defer { PKCS8_PRIV_KEY_INFO_free(info) }
        return try DER.encode { i2d_PKCS8_PRIV_KEY_INFO(info, $0) }
    }
}
