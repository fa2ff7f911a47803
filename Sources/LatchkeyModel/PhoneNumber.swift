/// A telephone number in the form of E.164: `+` and 7 to 15 digits, the first not zero.
///
/// The form is checked, not the numbering plan: whether anybody answers is for the courier to find out.
public struct PhoneNumber: Hashable, Sendable {
    /// The number with its leading `+` and without separators.
    public let e164: String

    /// Reads a number as people write it; nothing when what is left is no E.164 number.
    ///
    /// - Parameter text: A number that starts with `+`; spaces, dashes, dots, slashes and brackets are removed.
    public init?(_ text: String) {
        let separators: Set<Character> = [" ", "-", "(", ")", ".", "/", "\u{A0}", "\u{202F}", "\u{2011}"]
        let compact = text.filter { !separators.contains($0) }
        let digits = compact.utf8.dropFirst()
        guard
            compact.utf8.first == UInt8(ascii: "+"),
            (7...15).contains(digits.count),
            digits.first != UInt8(ascii: "0"),
            digits.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
        else { return nil }
        e164 = compact
    }
}

extension PhoneNumber: CustomStringConvertible {
    /// The number with all but its last two digits hidden; ``e164`` has it whole.
    public var description: String {
        "+…" + e164.suffix(2)
    }
}
