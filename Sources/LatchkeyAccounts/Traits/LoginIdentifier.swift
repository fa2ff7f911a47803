import LatchkeyIDNA
import LatchkeyModel

/// Normalizes login identifiers, so that equivalent spellings are equal.
package enum LoginIdentifier {
    /// The maximum length of an identifier or address in UTF-8 bytes.
    ///
    /// The limit is high enough for an email address with 64 bytes before the `@` and 255 bytes after it.
    /// Callers must check the length of any text from a request before they normalize or compare it.
    package static let byteLimit = 320

    /// Normalizes a phone number, an email address or any other identifier.
    ///
    /// Phone numbers are converted to E.164. For all other text, control characters and surrounding
    /// whitespace are removed, and the rest is converted to lower case and NFC. The domain of an e-mail
    /// address is converted to its ASCII form, because otherwise two accounts could share a mailbox. An
    /// identifier that is already normalized doesn't change.
    ///
    /// - Parameter text: The text entered by a user or an operator, which must not be longer than
    ///   ``byteLimit`` bytes.
    /// - Returns: The normalized identifier, which can be stored and compared with others. It is empty if the
    ///   text has no visible characters.
    package static func normalize(_ text: String) -> String {
        let plain = text.utf8.allSatisfy { (0x21...0x7E).contains($0) } ? text : trimmed(text)
        return PhoneNumber(plain)?.e164 ?? (asciiDomain(plain) ?? plain).lowercased().composed
    }

    /// Returns an e-mail address with its domain in ASCII form, or `nil` for any other text and for domains
    /// that are already in this form.
    private static func asciiDomain(_ text: String) -> String? {
        guard !text.utf8.allSatisfy({ $0 < 0x80 }) else { return nil }
        return EmailAddress(text)?.withASCIIDomain?.address
    }

    /// Returns a text without control characters and surrounding whitespace.
    private static func trimmed(_ text: String) -> String {
        // Control characters are removed first, because there may be spaces next to them.
        let kept = text.unicodeScalars.filter { $0.value >= 0x20 && $0.value != 0x7F }
        var scalars = kept[...]
        while let last = scalars.last, last.properties.isWhitespace { scalars.removeLast() }
        while let first = scalars.first, first.properties.isWhitespace { scalars.removeFirst() }
        var trimmed = String.UnicodeScalarView()
        trimmed.append(contentsOf: scalars)
        return String(trimmed)
    }
}
