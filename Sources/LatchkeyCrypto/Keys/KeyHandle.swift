import COpenSSL

/// Owns an `EVP_PKEY`.
///
/// `@unchecked Sendable`: the key is never changed after it came here, and OpenSSL guards what it caches
/// inside a key with locks of its own, so that threads may sign, verify and encode with one key at once.
final class KeyHandle: @unchecked Sendable {
    let pointer: OpaquePointer

    /// Takes over a reference.
    init(owning pointer: OpaquePointer) {
        self.pointer = pointer
    }

    deinit {
        EVP_PKEY_free(pointer)
    }
}
