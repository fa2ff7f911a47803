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
