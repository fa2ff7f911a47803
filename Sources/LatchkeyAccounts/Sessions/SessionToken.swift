import LatchkeyCrypto
package import LatchkeyModel

/// A session token, which the server stores only as a hash.
package struct SessionToken: Sendable {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789".utf8)
    private static let length = 32

    /// The text of the token, which only the client stores.
    package let secret: Secret

    /// The SHA-256 hash of the token, under which the session is stored.
    package let hash: [UInt8]

    /// Creates a token from the text in a request, without checking its format.
    ///
    /// - Parameter secret: The text, which may be empty or of any length; no session is found for an unknown
    ///   token.
    package init(presented secret: Secret) {
        self.secret = secret
        hash = SHA256.hash(Array(secret.exposed.utf8))
    }

    /// Generates a token of 32 random letters and digits, which contain about 190 bits of entropy.
    ///
    /// - Parameters:
    ///   - prefix: The text that precedes the random part and makes leaked tokens recognizable.
    ///   - random: The source of randomness.
    package init(prefix: String, random: some RandomSource) {
        var text = Array(prefix.utf8)
        let end = text.count + Self.length
        while text.count < end {
            // 248 is the largest multiple of 62 that fits in a byte. Larger bytes are skipped, because they
            // would favor some characters.
            for byte in random.bytes(Self.length) where byte < 248 && text.count < end {
                text.append(Self.alphabet[Int(byte % 62)])
            }
        }
        self.init(presented: Secret(String(decoding: text, as: UTF8.self)))
    }
}
