import LatchkeyCrypto
package import LatchkeyModel

/// A session's token; the server keeps only its hash.
package struct SessionToken: Sendable {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789".utf8)
    private static let length = 32

    /// The token as the client holds it.
    package let secret: Secret

    /// SHA-256 of the token: what the database knows it by.
    package let hash: [UInt8]

    /// Takes a token that came with a request.
    package init(presented secret: Secret) {
        self.secret = secret
        hash = SHA256.hash(Array(secret.exposed.utf8))
    }

    /// Draws a token of 32 letters and digits, some 190 bits.
    ///
    /// - Parameters:
    ///   - prefix: What it begins with, so that a leaked token can be recognised.
    ///   - random: The source of randomness.
    package init(prefix: String, random: some RandomSource) {
        var text = Array(prefix.utf8)
        let end = text.count + Self.length
        while text.count < end {
            // 248 is the largest multiple of 62 that a byte holds: what is drawn above it would favour some letters.
            for byte in random.bytes(Self.length) where byte < 248 && text.count < end {
                text.append(Self.alphabet[Int(byte % 62)])
            }
        }
        self.init(presented: Secret(String(decoding: text, as: UTF8.self)))
    }
}
