/// Checks the text form of an Argon2 hash, `$argon2id$v=19$m=…,t=…,p=…$salt$digest`.
///
/// Only version 1.3 is supported.
///
/// The limits don't apply to new hashes. Operators can configure higher values for these.
enum Argon2Text {
    /// The maximum memory in KiB and number of passes (`t`).
    private static let most = (memory: 1 << 18, passes: 4)
    /// The maximum degree of parallelism (`p`).
    private static let mostLanes = 16

    /// Returns the text unchanged if it is well-formed and its parameters are within the limits.
    ///
    /// The salt must have 8 to 64 bytes and the digest 16 to 128 bytes, both in Base64 without padding.
    ///
    /// - Throws: ``StoredHash/Refusal`` if the text is malformed, has a different version, or exceeds the
    ///   limits.
    static func checked(_ text: String) throws(StoredHash.Refusal) -> String {
        let pieces = try PHCText.pieces(of: text, count: 5)
        guard pieces[1] == "v=19" else {
            throw StoredHash.Refusal(reason: "uses an Argon2 version other than 1.3.")
        }
        let numbers = try PHCText.numbers(in: pieces[2], names: ["m", "t", "p"])
        let (memory, passes, lanes) = (numbers[0], numbers[1], numbers[2])
        try PHCText.check(
            memory <= most.memory && passes <= most.passes && lanes <= mostLanes,
            bounds:
                "m up to \(most.memory) (\(most.memory >> 10) MiB), t up to \(most.passes), p up to \(mostLanes)"
        )
        guard memory >= 8 * lanes, !pieces[3].hasSuffix("="), !pieces[4].hasSuffix("=") else {
            throw PHCText.broken
        }
        _ = try PHCText.bytes(of: pieces[3], size: 8...64)
        _ = try PHCText.bytes(of: pieces[4], size: 16...128)
        return text
    }
}
