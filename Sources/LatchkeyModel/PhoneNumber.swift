/// A phone number in E.164 format, which is `+` followed by 7 to 15 digits.
///
/// The first digit isn't zero.
///
/// Only the format is validated. The number may be unassigned, or may not follow its country's numbering
/// plan.
public struct PhoneNumber: Hashable, Sendable {
    /// The number with a leading `+` and without separators.
    public let e164: String

    /// Parses a number that was entered by a user.
    ///
    /// Returns `nil` if the text isn't an E.164 number once its separators have been removed.
    ///
    /// - Parameter text: A number that starts with `+`. White space, dashes, dots, slashes, brackets and the
    ///   invisible formatting characters that address books insert are ignored.
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
        // Looking up Unicode properties is slow, so handle ASCII first.
        case _ where scalar.isASCII: false
        default:
            scalar.properties.isWhitespace
                || [.dashPunctuation, .format].contains(scalar.properties.generalCategory)
        }
    }
}

extension PhoneNumber: CustomStringConvertible {
    /// The masked number, which shows only the last two digits.
    ///
    /// Use ``e164`` to get the full number.
    public var description: String {
        "+…" + e164.suffix(2)
    }
}
