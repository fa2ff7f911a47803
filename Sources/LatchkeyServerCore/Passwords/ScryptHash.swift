/// A hash made with scrypt (RFC 7914), `$scrypt$ln=…,r=…,p=…$salt$digest`.
package struct ScryptHash: Hashable, Sendable {
    private static let mostCost = 1 << 17
    private static let mostWork = 1 << 22

    package let text: String

    /// The cost N, a power of two.
    package let cost: Int

    package let blockSize: Int
    package let parallelism: Int
    package let salt: [UInt8]
    package let digest: [UInt8]

    /// Reads a hash.
    ///
    /// Kratos writes N itself after `ln`; others, and the PHC format, its logarithm. Nobody has an N below 32.
    init(_ text: String) throws(StoredHash.Refusal) {
        let pieces = try PHCText.pieces(text, 4)
        let numbers = try PHCText.numbers(pieces[1], ["ln", "r", "p"])
        let (block, lanes) = (numbers[1], numbers[2])
        let cost = numbers[0] < 32 ? 1 << numbers[0] : numbers[0]
        try PHCText.check(
            cost <= Self.mostCost && block <= 32 && lanes <= 16 && cost * block * lanes <= Self.mostWork,
            "N up to \(Self.mostCost), r up to 32, p up to 16, N·r·p up to \(Self.mostWork)"
        )
        guard cost > 1, cost & (cost - 1) == 0 else { throw PHCText.broken }
        self.text = text
        self.cost = cost
        blockSize = block
        parallelism = lanes
        salt = try PHCText.bytes(pieces[2], 0...128)
        digest = try PHCText.bytes(pieces[3], 16...128)
    }
}
