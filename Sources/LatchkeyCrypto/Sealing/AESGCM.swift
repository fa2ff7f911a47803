import COpenSSL
package import LatchkeyModel

/// Seals bytes so that they can neither be read nor changed without the key: AES-256-GCM (NIST SP 800-38D).
///
/// A sealed message is the nonce (12 bytes), the ciphertext and the tag (16 bytes). Nonces are random:
/// one key must not seal more than 2^32 messages.
package struct AESGCM: Sendable {
    /// The number of bytes of a key.
    package static let keyByteCount = 32

    /// How many bytes a sealed message has more than the message.
    package static let overhead = nonceByteCount + tagByteCount

    private static let nonceByteCount = 12
    private static let tagByteCount = 16

    private let key: [UInt8]

    /// Creates a sealer with a key of 32 bytes.
    package init(key: [UInt8]) throws(CryptoError) {
        guard key.count == Self.keyByteCount else {
            throw CryptoError(.malformed, "A key for AES-256 has 32 bytes.")
        }
        self.key = key
    }

    /// Seals a message.
    ///
    /// - Parameters:
    ///   - message: What to hide.
    ///   - context: What is not hidden, but must be the same when the message is opened.
    ///   - random: Where the nonce comes from.
    /// - Returns: The sealed message.
    /// - Throws: ``CryptoError`` when the message is too large or the library fails.
    package func seal(
        _ message: [UInt8],
        context: [UInt8] = [],
        random: some RandomSource = SystemRandom()
    ) throws(CryptoError) -> [UInt8] {
        let nonce = random.bytes(Self.nonceByteCount)
        guard nonce.count == Self.nonceByteCount else {
            throw CryptoError(.failed, "The source of randomness gave no nonce.")
        }
        let cipher = try Cipher(key: key, nonce: nonce, encrypts: true)
        try cipher.addContext(context)
        let hidden = try cipher.update(message)
        return nonce + hidden + (try cipher.finishedTag(Self.tagByteCount))
    }

    /// Opens a sealed message.
    ///
    /// - Throws: ``CryptoError/Code/mismatch`` when the key, the context or any bit of the message is another.
    package func open(_ sealed: [UInt8], context: [UInt8] = []) throws(CryptoError) -> [UInt8] {
        guard sealed.count >= Self.nonceByteCount + Self.tagByteCount else {
            throw CryptoError(.malformed, "A sealed message is longer.")
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
    /// A mark in place of the key.
    package var description: String { "‹key›" }

    /// A mirror without children.
    package var customMirror: Mirror { Mirror(self, children: []) }
}
