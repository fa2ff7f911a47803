import COpenSSL

/// Owns an `EVP_PKEY`.
///
/// `@unchecked Sendable`: the key is not modified after initialization, and OpenSSL guards the caches inside
/// a key with locks of its own, so threads may sign, verify and encode with one key concurrently.
final class KeyHandle: @unchecked Sendable {
    let pointer: OpaquePointer
    private let pool: PublicKeyPool?

    /// Takes ownership of a reference; with a pool, the key is returned there instead of being freed.
    init(owning pointer: OpaquePointer, returningTo pool: PublicKeyPool? = nil) {
        self.pointer = pointer
        self.pool = pool
    }

    deinit {
        if let pool { pool.release(pointer) } else { EVP_PKEY_free(pointer) }
    }
}
