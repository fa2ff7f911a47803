/// A code of six digits that proves control of a phone number or an address once.
public struct OneTimeCode: Hashable, Sendable {
    /// The six digits; the name makes their use visible in review.
    package let exposed: String

    /// Reads a code as a person types it; nothing from other texts.
    ///
    /// - Parameter text: Six ASCII digits; spaces and dashes between them are removed.
    public init?(_ text: String) {
        let compact = text.filter { $0 != " " && $0 != "-" }
        guard
            compact.utf8.count == 6,
            compact.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
        else { return nil }
        exposed = compact
    }

    /// Draws a code, each of the million equally likely.
    ///
    /// - Parameter random: The source of randomness.
    package init(random: some RandomSource) {
        // 2^32 - 2^32 mod 10^6: what is drawn above it would favour the small codes.
        let fair: UInt32 = 4_294_000_000
        var number: UInt32
        repeat {
            number = random.bytes(4).reduce(0) { $0 << 8 | UInt32($1) }
        } while number >= fair
        let digits = String(number % 1_000_000)
        exposed = String(repeating: "0", count: 6 - digits.utf8.count) + digits
    }
}

extension OneTimeCode: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// A mark in place of the digits.
    public var description: String { "‹code›" }

    /// A mark in place of the digits.
    public var debugDescription: String { description }

    /// A mirror without children.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
