/// An scrypt hash (RFC 7914), `$scrypt$ln=…,r=…,p=…$salt$digest`.
package struct ScryptHash: Hashable, Sendable {
    /// The maximum cost (N), which is 131,072.
    private static let mostCost = 1 << 17
    /// The maximum product of N, r and p, which is that of the maximum cost with r = 8 and p = 1.
    private static let mostWork = 1 << 20

    /// The hash in its text form, which is stored exactly as it was imported.
    package let text: String

    /// The cost (N).
    ///
    /// A power of two greater than one.
    package let cost: Int

    /// The block size (r).
    ///
    /// The maximum is 32.
    package let blockSize: Int
    /// The parallelization (p).
    ///
    /// The maximum is 16.
    package let parallelism: Int
    /// The decoded salt, which has at most 128 bytes.
    package let salt: [UInt8]
    /// The derived key to compare with.
    ///
    /// The key has 16 to 128 bytes.
    package let digest: [UInt8]

    /// Parses a hash.
    ///
    /// For the parameter `ln`, Kratos writes N itself, whereas the PHC format and other systems write the
    /// binary logarithm of N. We treat values below 32 as logarithms because no system uses such a small N.
    ///
    /// - Throws: ``StoredHash/Refusal`` if the text is malformed or its parameters exceed this server's
    ///   limits.
    init(_ text: String) throws(StoredHash.Refusal) {
        let pieces = try PHCText.pieces(of: text, count: 4)
        let numbers = try PHCText.numbers(in: pieces[1], names: ["ln", "r", "p"])
        let (block, lanes) = (numbers[1], numbers[2])
        let cost = numbers[0] < 32 ? 1 << numbers[0] : numbers[0]
        try PHCText.check(
            cost <= Self.mostCost && block <= 32 && lanes <= 16 && cost * block * lanes <= Self.mostWork,
            bounds: "N up to \(Self.mostCost), r up to 32, p up to 16, N·r·p up to \(Self.mostWork)"
        )
        guard cost > 1, cost & (cost - 1) == 0 else { throw PHCText.broken }
        self.text = text
        self.cost = cost
        blockSize = block
        parallelism = lanes
        salt = try PHCText.bytes(of: pieces[2], size: 0...128)
        digest = try PHCText.bytes(of: pieces[3], size: 16...128)
    }
}
