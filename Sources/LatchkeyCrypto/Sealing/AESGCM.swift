import COpenSSL
package import LatchkeyModel

/// Authenticated encryption with AES-256-GCM (NIST SP 800-38D).
///
/// A sealed message consists of the nonce (12 bytes), the ciphertext and the tag (16 bytes). Nonces are
/// random, so a key must not seal more than 2^32 messages.
package struct AESGCM: Sendable {
    /// The length of a key in bytes.
    package static let keyByteCount = 32

    /// The number of bytes that sealing adds to a message.
    package static let overhead = nonceByteCount + tagByteCount

    private static let nonceByteCount = 12
    private static let tagByteCount = 16

    private let key: [UInt8]

    /// Creates a cipher from a 32-byte key.
    ///
    /// Throws `malformed` if the key has a different length.
    package init(key: [UInt8]) throws(CryptoError) {
        guard key.count == Self.keyByteCount else {
            throw CryptoError(.malformed, "An AES-256 key must have 32 bytes.")
        }
        self.key = key
    }

    /// Encrypts and authenticates a message.
    ///
    /// - Parameters:
    ///   - message: The plaintext.
    ///   - context: Additional authenticated data. This data is not encrypted, but is needed to open the
    ///     message.
    ///   - random: The random source for the nonce.
    /// - Returns: The sealed message, consisting of the nonce, the ciphertext and the tag.
    /// - Throws: ``CryptoError`` if the message is too large or OpenSSL fails.
    package func seal(
        _ message: [UInt8],
        context: [UInt8] = [],
        random: some RandomSource = SystemRandom()
    ) throws(CryptoError) -> [UInt8] {
        let nonce = random.bytes(Self.nonceByteCount)
        guard nonce.count == Self.nonceByteCount else {
            throw CryptoError(.failed, "The random number generator returned no nonce.")
        }
        let cipher = try Cipher(key: key, nonce: nonce, encrypts: true)
        try cipher.addContext(context)
        let hidden = try cipher.update(message)
        return nonce + hidden + (try cipher.finishedTag(Self.tagByteCount))
    }

    /// Verifies and decrypts a sealed message.
    ///
    /// - Throws: ``CryptoError/Code/mismatch`` if the key or the context is different or any bit of the
    ///   message was changed.
    package func open(_ sealed: [UInt8], context: [UInt8] = []) throws(CryptoError) -> [UInt8] {
        guard sealed.count >= Self.nonceByteCount + Self.tagByteCount else {
            throw CryptoError(.malformed, "The sealed message is too short.")
        }
        let nonce = Array(sealed.prefix(Self.nonceByteCount))
        let hidden = Array(sealed.dropFirst(Self.nonceByteCount).dropLast(Self.tagByteCount))
        let cipher = try Cipher(key: key, nonce: nonce, encrypts: false)
        try cipher.addContext(context)
        let message = try cipher.update(hidden)
        try cipher.finish(expecting: Array(sealed.suffix(Self.tagByteCount)))
        return message
    }
}

extension AESGCM: CustomStringConvertible, CustomReflectable {
    /// A placeholder.
    ///
    /// The key itself is never printed.
    package var description: String { "‹key›" }

    /// A mirror without children, so that dumping the value does not print the key.
    package var customMirror: Mirror { Mirror(self, children: []) }
}
