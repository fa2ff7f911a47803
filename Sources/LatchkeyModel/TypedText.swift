/// Reads numbers that users type or paste, such as phone numbers and codes.
///
/// Keyboards, address books and messages insert separators and invisible characters, and many keyboards type
/// the digits of another script.
package enum TypedText {
    /// The maximum length of a number with its separators, in UTF-8 bytes.
    private static let byteLimit = 256

    /// Returns the scalars that aren't separators, with digits, plus signs and brackets in their ASCII form.
    ///
    /// Separators are white space, dashes, dots, slashes and format characters. Decimal digits of every
    /// script are mapped (Unicode category Nd).
    ///
    /// - Parameter text: The text as it was typed.
    /// - Returns: The scalars, or an empty array if the text is longer than 256 bytes.
    package static func significantScalars(of text: String) -> [Unicode.Scalar] {
        guard text.utf8.count <= byteLimit else { return [] }
        return text.unicodeScalars.compactMap { scalar -> Unicode.Scalar? in
            switch scalar {
            case ".", "/", "-", " ", "\t"..."\r": nil
            // Looking up Unicode properties is slow, so handle ASCII first.
            case _ where scalar.isASCII: scalar
            case "\u{FF0B}": "+"
            case "\u{FF08}": "("
            case "\u{FF09}": ")"
            case "\u{FF3B}": "["
            case "\u{FF3D}": "]"
            // The fullwidth full stop and solidus, and the minus sign.
            case "\u{FF0E}", "\u{FF0F}", "\u{2212}": nil
            default:
                switch scalar.properties.generalCategory {
                case .decimalNumber: asciiDigit(scalar)
                case .dashPunctuation, .format: nil
                default: scalar.properties.isWhitespace ? nil : scalar
                }
            }
        }
    }

    /// Returns the digits of a text in ASCII, without separators and brackets.
    ///
    /// - Returns: The digits, which may be none, or `nil` if the text contains any other characters.
    package static func digits(of text: String) -> String? {
        var digits = String.UnicodeScalarView()
        for scalar in significantScalars(of: text) where !isBracket(scalar) {
            guard ("0"..."9").contains(scalar) else { return nil }
            digits.append(scalar)
        }
        return String(digits)
    }

    /// Returns a text in which the decimal digits of every script are ASCII digits.
    ///
    /// All other characters are kept, so the result is suitable for numbers in which signs and dots have a
    /// meaning.
    package static func withASCIIDigits(_ text: String) -> String {
        guard !text.utf8.allSatisfy({ $0 < 0x80 }) else { return text }
        var scalars = String.UnicodeScalarView()
        for scalar in text.unicodeScalars { scalars.append(asciiDigit(scalar) ?? scalar) }
        return String(scalars)
    }

    /// Returns whether a scalar is one of the brackets that phone numbers are written with.
    package static func isBracket(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "(", ")", "[", "]": true
        default: false
        }
    }

    /// Returns the ASCII form of a decimal digit, or `nil` for any other scalar.
    private static func asciiDigit(_ scalar: Unicode.Scalar) -> Unicode.Scalar? {
        guard scalar.properties.generalCategory == .decimalNumber else { return nil }
        return scalar.properties.numericValue.map { Unicode.Scalar(0x30 + UInt8($0)) }
    }
}
