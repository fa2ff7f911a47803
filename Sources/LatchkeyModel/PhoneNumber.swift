/// A telephone number in E.164 form: `+` and 7 to 15 digits, the first of which is not zero.
///
/// Only the form is validated. The number may be unassigned or violate its country's numbering plan.
public struct PhoneNumber: Hashable, Sendable {
    /// The number with the leading `+` and without separators.
    public let e164: String

    /// Parses a number as a user enters it; returns `nil` if the text without its separators is not an E.164
    /// number.
    ///
    /// - Parameter text: A number that starts with `+`; white space, dashes, dots, slashes, brackets and
    ///   invisible formatting characters, which address books add, are removed.
    public init?(_ text: String) {
        var number = ""
        for scalar in text.unicodeScalars where !Self.isSeparator(scalar) {
            let isExpected =
                switch number.utf8.count {
                case 0: scalar == "+"
                case 1: ("1"..."9").contains(scalar)
                case 2...15: ("0"..."9").contains(scalar)
                default: false
                }
            guard isExpected else { return nil }
            number.unicodeScalars.append(scalar)
        }
        guard number.utf8.count >= 8 else { return nil }
        e164 = number
    }

    private static func isSeparator(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "(", ")", "[", "]", ".", "/", "-", " ", "\t"..."\r": true
        // ASCII needs no property lookup, which would be slow.
        case _ where scalar.isASCII: false
        default:
            scalar.properties.isWhitespace
                || [.dashPunctuation, .format].contains(scalar.properties.generalCategory)
        }
    }
}

extension PhoneNumber: CustomStringConvertible {
    /// The number with all but its last two digits hidden; use ``e164`` for the full text.
    public var description: String {
        "+…" + e164.suffix(2)
    }
}
