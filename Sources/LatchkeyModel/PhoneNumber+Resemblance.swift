extension PhoneNumber {
    /// The message for a user who typed a malformed number.
    package static let requirement =
        "The phone number must start with + and the country code and have 7 to 15 digits."

    /// The texts between a number and its extension.
    private static let extensionMarks: Set<String> = [
        "x", "ext", "ext:", "ext=", "#", ",", ",,", ";", ";ext=",
    ]

    /// The minimum number of digits in front of an extension.
    private static let leastDigits = 7

    /// Returns whether a text was meant as a phone number, even if it isn't a valid one.
    ///
    /// Such a text starts with a plus sign or `tel:`, or consists of digits, which may have an extension.
    ///
    /// - Parameter text: The text as it was typed, which isn't an e-mail address.
    /// - Returns: Whether the text can be rejected with ``requirement``, unless it is a valid number.
    package static func resembles(_ text: String) -> Bool {
        let scalars = TypedText.significantScalars(of: text).filter { !TypedText.isBracket($0) }
        let lowercase = scalars.map(\.properties.lowercaseMapping).joined()
        if lowercase.hasPrefix("+") || lowercase.hasPrefix("tel:") { return true }
        let digits = lowercase.prefix(while: isDigit)
        let rest = lowercase[digits.endIndex...]
        guard !rest.isEmpty else { return !digits.isEmpty }
        let suffix = rest.drop { !isDigit($0) }
        return digits.count >= leastDigits && extensionMarks.contains(String(rest[..<suffix.startIndex]))
            && !suffix.isEmpty && suffix.allSatisfy(isDigit)
    }

    private static func isDigit(_ character: Character) -> Bool {
        character.isASCII && ("0"..."9").contains(character)
    }
}
