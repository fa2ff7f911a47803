import COpenSSL

/// A single encryption or decryption with AES-256-GCM.
///
/// This object owns an `EVP_CIPHER_CTX`, which may only be used by one thread.
final class Cipher {
    private let context: OpaquePointer
    private let encrypts: Int32

    /// Starts encrypting or decrypting a message.
    ///
    /// A key and nonce must never be used together for more than one encryption.
    init(key: [UInt8], nonce: [UInt8], encrypts: Bool) throws(CryptoError) {
        guard let context = EVP_CIPHER_CTX_new() else {
            throw .openSSL(.failed, message: "The cipher cannot be created.")
        }
        self.context = context
        self.encrypts = encrypts ? 1 : 0
        guard
            EVP_CipherInit_ex(context, EVP_aes_256_gcm(), nil, key, nonce, self.encrypts) == 1
        else { throw .openSSL(.failed, message: "The cipher cannot be initialized.") }
    }

    deinit {
        EVP_CIPHER_CTX_free(context)
    }

    /// Adds additional authenticated data.
    ///
    /// This method must be called before ``update(_:)``.
    func addContext(_ bytes: [UInt8]) throws(CryptoError) {
        guard !bytes.isEmpty else { return }
        var written: Int32 = 0
        guard
            let count = Int32(exactly: bytes.count),
            EVP_CipherUpdate(context, nil, &written, bytes, count) == 1
        else { throw .openSSL(.failed, message: "The context cannot be added.") }
    }

    /// Encrypts or decrypts the whole message in one call.
    ///
    /// The result has the same length as the message.
    func update(_ bytes: [UInt8]) throws(CryptoError) -> [UInt8] {
        guard !bytes.isEmpty else { return [] }
        guard let count = Int32(exactly: bytes.count) else {
            throw CryptoError(.malformed, "The message is too large.")
        }
        var written: Int32 = 0
        var status: Int32 = 0
        let turned = [UInt8](unsafeUninitializedCapacity: bytes.count) { buffer, initialized in
            status = EVP_CipherUpdate(context, buffer.baseAddress, &written, bytes, count)
            initialized = status == 1 ? Int(written) : 0
        }
        guard status == 1, turned.count == bytes.count else {
            throw .openSSL(.failed, message: "The cipher failed.")
        }
        return turned
    }

    /// Finishes encrypting the message and returns the authentication tag.
    func finishedTag(_ byteCount: Int) throws(CryptoError) -> [UInt8] {
        var tag = [UInt8](repeating: 0, count: byteCount)
        guard
            finish() == 1,
            EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, Int32(byteCount), &tag) == 1
        else { throw .openSSL(.failed, message: "The cipher returned no tag.") }
        return tag
    }

    /// Finishes a decryption.
    ///
    /// Throws `mismatch` if the tag does not match.
    ///
    /// After this error, the plaintext is not authentic and must be discarded.
    func finish(expecting tag: [UInt8]) throws(CryptoError) {
        var tag = tag
        guard
            EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, Int32(tag.count), &tag) == 1,
            finish() == 1
        else {
            throw CryptoError(
                .mismatch,
                "The message was encrypted with another key or context, or was modified."
            )
        }
    }

    private func finish() -> Int32 {
        var rest = [UInt8](repeating: 0, count: 16)
        var written: Int32 = 0
        return EVP_CipherFinal_ex(context, &rest, &written)
    }
}
