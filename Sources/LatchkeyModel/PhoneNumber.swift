/// A telephone number in E.164 form: `+` and 7 to 15 digits, the first of which is not zero.
///
/// Only the form is validated, not the numbering plan: the number may be unassigned.
public struct PhoneNumber: Hashable, Sendable {
    /// The number with the leading `+` and without separators.
    public let e164: String

    /// Parses a number as written by users; returns `nil` if the text is not an E.164 number without its
    /// separators.
    ///
    /// - Parameter text: A number that starts with `+`; white space, dashes, dots, slashes, brackets and
    ///   invisible formatting characters, which address books add, are removed.
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
    /// The number with all but its last two digits hidden; use ``e164`` for the full text.
    public var description: String {
        "+…" + e164.suffix(2)
    }
}
