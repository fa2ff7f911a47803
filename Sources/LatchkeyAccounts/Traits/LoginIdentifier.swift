import LatchkeyModel
// The standard library implements the Unicode normalization forms, but has no public API for them yet.
@_spi(_Unicode) import Swift

/// The normalization of login identifiers, which makes equivalent spellings equal.
package enum LoginIdentifier {
    /// The maximum length of an identifier or address in UTF-8 bytes.
    ///
    /// The limit allows for an e-mail address with 64 bytes before the `@` and 255 bytes after it.
    ///
    /// Callers check the length before they normalize or compare text from a request.
    package static let byteLimit = 320

    /// Normalizes a phone number, an e-mail address or any other identifier.
    ///
    /// Phone numbers are converted to E.164. In all other text, control characters and surrounding whitespace
    /// are removed, and the rest is converted to lower case and NFC. Normalization is idempotent.
    ///
    /// - Parameter text: The text from a user or an operator, up to ``byteLimit``.
    /// - Returns: The form in which identifiers are stored and compared; empty for text without visible
    ///   characters.
    package static func normalize(_ text: String) -> String {
        let plain = text.utf8.allSatisfy { (0x21...0x7E).contains($0) } ? text : trimmed(text)
        return PhoneNumber(plain)?.e164 ?? composed(plain.lowercased())
    }

    /// Returns text without its control characters and surrounding whitespace.
    private static func trimmed(_ text: String) -> String {
        // Control characters are removed first, because the text that remains may begin or end with a space.
        let kept = text.unicodeScalars.filter { $0.value >= 0x20 && $0.value != 0x7F }
        var scalars = kept[...]
        while let last = scalars.last, last.properties.isWhitespace { scalars.removeLast() }
        while let first = scalars.first, first.properties.isWhitespace { scalars.removeFirst() }
        var trimmed = String.UnicodeScalarView()
        trimmed.append(contentsOf: scalars)
        return String(trimmed)
    }

    /// Returns a string in Unicode normalization form C.
    ///
    /// Canonically equivalent spellings have the same bytes in this form.
    private static func composed(_ text: String) -> String {
        guard !text.utf8.allSatisfy({ $0 < 0x80 }) else { return text }
        var scalars = String.UnicodeScalarView()
        scalars.append(contentsOf: text._nfc)
        return String(scalars)
    }
}
