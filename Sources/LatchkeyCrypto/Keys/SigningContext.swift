import COpenSSL

/// A context that is ready to sign with a key; to copy it takes half as long as to make it ready.
///
/// `@unchecked Sendable`: it is never used to sign and never changed, only copied, which threads may do at once.
final class SigningContext: @unchecked Sendable {
    let pointer: OpaquePointer

    init(_ key: KeyHandle) throws(CryptoError) {
        guard let context = EVP_PKEY_CTX_new_from_pkey(nil, key.pointer, nil) else {
            throw .openSSL(.failed, "The key cannot sign.")
        }
        pointer = context
        guard EVP_PKEY_sign_init(context) == 1 else { throw .openSSL(.failed, "The key cannot sign.") }
    }

    deinit {
        EVP_PKEY_CTX_free(pointer)
    }
}
