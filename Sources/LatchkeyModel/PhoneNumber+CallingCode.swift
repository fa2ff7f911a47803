extension PhoneNumber {
    /// The calling codes with one or two digits; all other calling codes have three.
    private static let shortCallingCodes: Set<String> = Set(
        """
        1 7 20 27 30 31 32 33 34 36 39 40 41 43 44 45 46 47 48 49 51 52 53 54 55 56 57 58 60 61 62 63 64 65 66 \
        81 82 84 86 90 91 92 93 94 95 98
        """.split(separator: " ").map(String.init)
    )

    /// The calling code of the number (ITU-T E.164), without the leading `+`, such as `46`.
    ///
    /// Unassigned calling codes are considered to have three digits.
    package var callingCode: String {
        let digits = e164.dropFirst()
        let short = (1...2).map { String(digits.prefix($0)) }.first { Self.shortCallingCodes.contains($0) }
        return short ?? String(digits.prefix(3))
    }

    /// Returns whether a text is a calling code, such as `46`.
    package static func isCallingCode(_ text: String) -> Bool {
        guard (1...3).contains(text.utf8.count), text.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            let phone = PhoneNumber("+" + text + "0000000")
        else { return false }
        return phone.callingCode == text
    }
}
