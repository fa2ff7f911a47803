import LatchkeyCrypto
package import LatchkeyModel

/// A session token.
///
/// The server only stores a hash of the token.
package struct SessionToken: Sendable {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789".utf8)
    private static let length = 32

    /// The token itself, which only the client stores.
    package let secret: Secret

    /// The token's SHA-256 hash, which is used to look up the session.
    package let hash: [UInt8]

    /// Creates a token from the text in a request, without checking its format.
    ///
    /// - Parameter secret: The text, which can have any length. The text doesn't have to be a valid token.
    package init(presented secret: Secret) {
        self.secret = secret
        hash = SHA256.hash(Array(secret.exposed.utf8))
    }

    /// Generates a token with 32 random letters and digits, which is about 190 bits of entropy.
    ///
    /// - Parameters:
    ///   - prefix: The text before the random part, which makes leaked tokens recognizable.
    ///   - random: The random source.
    package init(prefix: String, random: some RandomSource) {
        var text = Array(prefix.utf8)
        let end = text.count + Self.length
        while text.count < end {
            // 248 is the largest multiple of 62 that fits in a byte. We skip larger bytes because they would
            // make some characters more likely than others.
            for byte in random.bytes(Self.length) where byte < 248 && text.count < end {
                text.append(Self.alphabet[Int(byte % 62)])
            }
        }
        self.init(presented: Secret(String(decoding: text, as: UTF8.self)))
    }
}
