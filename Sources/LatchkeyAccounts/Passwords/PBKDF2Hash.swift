package import LatchkeyCrypto

/// A PBKDF2 hash (RFC 8018), `$pbkdf2-sha256$i=…,l=…$salt$digest`.
package struct PBKDF2Hash: Hashable, Sendable {
    /// The maximum number of iterations for all blocks of the digest together.
    ///
    /// Each block is derived with all iterations.
    private static let mostRounds = 2_000_000

    /// The hash in its text form, which is stored exactly as it was imported.
    package let text: String
    /// The hash function that HMAC uses.
    package let function: PBKDF2.Function
    /// The number of iterations, at least 1.
    package let rounds: Int
    /// The decoded salt, up to 128 bytes.
    package let salt: [UInt8]
    /// The derived key to compare with.
    ///
    /// The key has 16 to 128 bytes.
    package let digest: [UInt8]

    /// Parses a hash.
    ///
    /// The parameter `l` must be the digest's length in bytes.
    ///
    /// - Throws: ``StoredHash/Refusal`` if the text is malformed, if the hash function isn't supported, or if
    ///   deriving the digest takes too many iterations.
    init(_ text: String) throws(StoredHash.Refusal) {
        let pieces = try PHCText.pieces(of: text, count: 4)
        guard let function = PBKDF2.Function(rawValue: String(pieces[0].dropFirst("pbkdf2-".utf8.count)))
        else {
            throw StoredHash.Refusal(reason: "uses PBKDF2 with an unsupported hash function.")
        }
        let numbers = try PHCText.numbers(in: pieces[1], names: ["i", "l"])
        self.text = text
        self.function = function
        rounds = numbers[0]
        salt = try PHCText.bytes(of: pieces[2], size: 0...128)
        digest = try PHCText.bytes(of: pieces[3], size: 16...128)
        guard digest.count == numbers[1] else { throw PHCText.broken }
        let blocks = (digest.count + function.outputSize - 1) / function.outputSize
        let most = Self.mostRounds / blocks
        try PHCText.check(rounds <= most, bounds: "i up to \(most) for a digest of \(digest.count) bytes")
    }
}
