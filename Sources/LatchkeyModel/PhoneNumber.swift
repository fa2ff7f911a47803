/// A telephone number in the form of E.164: `+` and 7 to 15 digits, the first not zero.
///
/// The form is checked, not the numbering plan: whether anybody answers is for the courier to find out.
public struct PhoneNumber: Hashable, Sendable {
    /// The number with its leading `+` and without separators.
    public let e164: String

    /// Reads a number as people write it; nothing when what is left is no E.164 number.
    ///
    /// - Parameter text: A number that starts with `+`; white space, dashes, dots, slashes, brackets and the
    ///   invisible marks that address books put around numbers are removed.
    public init?(_ text: String) {
        let compact = String(String.UnicodeScalarView(text.unicodeScalars.filter { !Self.isSeparator($0) }))
        let digits = compact.utf8.dropFirst()
        guard
            compact.utf8.first == UInt8(ascii: "+"),
            (7...15).contains(digits.count),
            digits.first != UInt8(ascii: "0"),
            digits.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
        else { return nil }
        e164 = compact
    }

    private static func isSeparator(_ scalar: Unicode.Scalar) -> Bool {
        "()[]./".unicodeScalars.contains(scalar) || scalar.properties.isWhitespace
            || [.dashPunctuation, .format].contains(scalar.properties.generalCategory)
    }
}

extension PhoneNumber: CustomStringConvertible {
    /// The number with all but its last two digits hidden; ``e164`` has it whole.
    public var description: String {
        "+…" + e164.suffix(2)
    }
}
