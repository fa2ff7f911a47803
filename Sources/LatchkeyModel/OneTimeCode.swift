/// A six-digit one-time code that proves control of a phone number or an e-mail address.
public struct OneTimeCode: Hashable, Sendable {
    /// The six digits.
    ///
    /// The property is called `exposed` so that every use stands out in code review.
    package let exposed: String

    /// Parses a code that was typed by a user.
    ///
    /// Returns `nil` if the text isn't a valid code.
    ///
    /// - Parameter text: Six digits of any script. White space, dashes, dots, slashes, brackets and invisible
    ///   formatting characters are ignored.
    public init?(_ text: String) {
        guard let digits = TypedText.digits(of: text), digits.utf8.count == 6 else { return nil }
        exposed = digits
    }

    /// Generates a random code; all one million codes are equally likely.
    ///
    /// - Parameter random: The source of randomness.
    package init(random: some RandomSource) {
        // The largest multiple of 10^6 that fits in 32 bits. We reject numbers at or above this limit,
        // because they would make small codes more likely.
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
    /// A placeholder that hides the digits.
    public var description: String { "‹code›" }

    /// A placeholder that hides the digits.
    public var debugDescription: String { description }

    /// A mirror without children, so that `dump` doesn't print the digits.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
