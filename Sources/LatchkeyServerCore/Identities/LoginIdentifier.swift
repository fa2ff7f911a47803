import LatchkeyModel

/// The form in which two spellings of what people log in with are the same.
package enum LoginIdentifier {
    /// Normalizes a phone number, an e-mail address or any other identifier.
    ///
    /// Phone numbers become E.164; everything else loses surrounding spaces, control characters and case. What is
    /// normalized stays as it is when it is normalized again.
    package static func normalize(_ text: String) -> String {
        // Before anything else: without them, a text may be a phone number, or end with a space.
        let kept = text.unicodeScalars.filter { $0.value >= 0x20 && $0.value != 0x7F }
        var scalars = kept[...]
        while let last = scalars.last, last.properties.isWhitespace { scalars.removeLast() }
        while let first = scalars.first, first.properties.isWhitespace { scalars.removeFirst() }
        var trimmed = String.UnicodeScalarView()
        trimmed.append(contentsOf: scalars)
        let plain = String(trimmed)
        return PhoneNumber(plain)?.e164 ?? plain.lowercased()
    }
}
