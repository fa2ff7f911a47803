/// A one-time code of six digits that proves control of a phone number or an e-mail address.
public struct OneTimeCode: Hashable, Sendable {
    /// The six digits; the property's name makes each use visible in code review.
    package let exposed: String

    /// Parses a code as a user types it; returns `nil` if the text is not a code.
    ///
    /// - Parameter text: Six ASCII digits; spaces and dashes are ignored.
    public init?(_ text: String) {
        let compact = text.filter { $0 != " " && $0 != "-" }
        guard
            compact.utf8.count == 6,
            compact.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
        else { return nil }
        exposed = compact
    }

    /// Generates a random code; all one million codes are equally likely.
    ///
    /// - Parameter random: The source of randomness.
    package init(random: some RandomSource) {
        // 2^32 - 2^32 mod 10^6: larger numbers are rejected, because they would make small codes more likely.
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
    /// A placeholder; the digits are never printed.
    public var description: String { "‹code›" }

    /// A placeholder; the digits are never printed.
    public var debugDescription: String { description }

    /// A mirror without children, so that dumping a value does not print the digits.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
