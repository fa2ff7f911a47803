import COpenSSL

/// A context that has been initialized for signing with a key.
///
/// Copying a context takes half as long as initializing a new one.
///
/// `@unchecked Sendable` is safe because the context is only copied and never used for signing or modified.
/// The context can be copied concurrently.
final class SigningContext: @unchecked Sendable {
    let pointer: OpaquePointer

    /// Creates a context for a private key.
    init(_ key: KeyHandle) throws(CryptoError) {
        guard let context = EVP_PKEY_CTX_new_from_pkey(nil, key.pointer, nil) else {
            throw .openSSL(.failed, message: "The key cannot be used for signing.")
        }
        pointer = context
        guard EVP_PKEY_sign_init(context) == 1 else {
            throw .openSSL(.failed, message: "The key cannot be used for signing.")
        }
    }

    deinit {
        EVP_PKEY_CTX_free(pointer)
    }
}
