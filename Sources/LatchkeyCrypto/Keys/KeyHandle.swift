import COpenSSL

/// Owns an `EVP_PKEY`.
///
/// `@unchecked Sendable`: the key is not modified after initialization, and OpenSSL guards the caches inside
/// a key with its own locks, so threads may use one key concurrently to sign, verify and encode.
final class KeyHandle: @unchecked Sendable {
    let pointer: OpaquePointer
    private let pool: PublicKeyPool?

    /// Takes ownership of a reference to a key, which is returned to the pool, if there is one, instead of
    /// being freed.
    init(owning pointer: OpaquePointer, returningTo pool: PublicKeyPool? = nil) {
        self.pointer = pointer
        self.pool = pool
    }

    deinit {
        if let pool { pool.release(pointer) } else { EVP_PKEY_free(pointer) }
    }
}
