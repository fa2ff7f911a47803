import COpenSSL

/// Owns an `EVP_PKEY`.
///
/// `@unchecked Sendable`: the key is never changed after it came here, and OpenSSL guards what it caches
/// inside a key with locks of its own, so that threads may sign, verify and encode with one key at once.
final class KeyHandle: @unchecked Sendable {
    let pointer: OpaquePointer
    private let shelf: PublicKeyShelf?

    /// Takes over a reference.
    init(owning pointer: OpaquePointer, returningTo shelf: PublicKeyShelf? = nil) {
        self.pointer = pointer
        self.shelf = shelf
    }

    deinit {
        if let shelf { shelf.put(pointer) } else { EVP_PKEY_free(pointer) }
    }
}
