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
    /// Returns `nil` if the text isn't an E.164 number once its separators have been removed. Numbers without
    /// a calling code, numbers that start with an international prefix such as `00`, and numbers with an
    /// extension are rejected, because guessing the missing part could result in the number of another user.
    ///
    /// A zero in brackets right after the calling code, as in `+49 (0) 176 …`, is only dialed within the
    /// country. It is dropped if the country has such a trunk prefix, kept if its national numbers start with
    /// a zero (Italy, San Marino and Vatican City), and rejected otherwise.
    ///
    /// - Parameter text: A number that starts with `+` or `tel:+`. White space, dashes, dots, slashes,
    ///   brackets and the invisible formatting characters that address books insert are ignored. The digits
    ///   can be those of any script.
    public init?(_ text: String) {
        // Most texts are stored numbers or e-mail addresses.
        let bytes = text.utf8
        if Self.isE164(bytes) {
            e164 = text
            return
        }
        if let first = bytes.first, (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(first | 0x20),
            first | 0x20 != UInt8(ascii: "t")
        {
            return nil
        }
        var rest = TypedText.significantScalars(of: text)[...]
        let scheme = rest.prefix(4).map(\.properties.lowercaseMapping)
        if scheme == ["t", "e", "l", ":"] { rest = rest.dropFirst(4) }
        var number = ""
        var hasTrunkZero = false
        while let scalar = rest.popFirst() {
            if let closing = Self.brackets[scalar], rest.starts(with: ["0", closing]),
                number.utf8.count <= 4
            {
                let code = String(number.dropFirst())
                if CallingCode.withTrunkZero.contains(code), !hasTrunkZero {
                    hasTrunkZero = true
                    rest = rest.dropFirst(2)
                } else if !CallingCode.withLeadingZero.contains(code) {
                    return nil
                }
            } else if !TypedText.isBracket(scalar) {
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
        }
        guard number.utf8.count >= 8 else { return nil }
        e164 = number
    }

    /// Opening brackets with the brackets that close them.
    private static let brackets: [Unicode.Scalar: Unicode.Scalar] = ["(": ")", "[": "]"]

    /// Returns whether a text already is a number in E.164 format.
    private static func isE164(_ bytes: String.UTF8View) -> Bool {
        guard (8...16).contains(bytes.count), bytes.first == UInt8(ascii: "+") else { return false }
        let digits = bytes.dropFirst()
        return digits.first != UInt8(ascii: "0")
            && digits.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    }
}

/// The country calling codes (ITU-T E.164) whose national numbers are written with a zero in front.
private enum CallingCode {
    /// The calling codes of countries in which `0` is dialed before a national number and is left out in the
    /// international format.
    static let withTrunkZero: Set<String> = codes(
        """
        20 27 31 32 33 40 41 43 44 46 49 51 53 54 55 57 58 60 61 62 63 64 66 81 82 84 86 90 91 92 93 94 95 98
        211 212 213 218 231 232 233 234 243 249 250 251 252 254 255 256 260 261 262 263 264 265 291
        353 355 358 359 370 373 374 377 380 381 382 383 385 386 387 389 421 423
        508 590 591 593 594 595 596 598 686 850 855 856 880 886
        961 962 963 964 966 967 970 971 972 976 977 994 995 996
        """
    )

    /// The calling codes of countries in which the zero belongs to the number.
    static let withLeadingZero: Set<String> = codes("39 378 379")

    private static func codes(_ list: String) -> Set<String> {
        Set(list.split(whereSeparator: \.isWhitespace).map { String($0) })
    }
}

extension PhoneNumber: CustomStringConvertible, CustomReflectable {
    /// The masked number, which shows only the last two digits.
    ///
    /// Use ``e164`` to get the full number.
    public var description: String {
        "+…" + e164.suffix(2)
    }

    /// A mirror without children, so that `dump` doesn't print the number.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
