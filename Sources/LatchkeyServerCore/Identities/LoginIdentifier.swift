import LatchkeyModel
// The standard library has the Unicode normalization forms, but no public name for them yet.
@_spi(_Unicode) import Swift

/// The form in which two spellings of what people log in with are the same.
package enum LoginIdentifier {
    /// The most bytes that an identifier or an address may have: 64 before the `@` of an e-mail address and 255 behind.
    ///
    /// Callers check it before they normalize or compare a text from a request.
    package static let byteLimit = 320

    /// Normalizes a phone number, an e-mail address or any other identifier.
    ///
    /// Phone numbers become E.164; everything else loses surrounding spaces, control characters and case, and is in
    /// NFC. Normalizing twice is the same as normalizing once.
    package static func normalize(_ text: String) -> String {
        // Before anything else: without them, a text may be a phone number, or end with a space.
        let kept = text.unicodeScalars.filter { $0.value >= 0x20 && $0.value != 0x7F }
        var scalars = kept[...]
        while let last = scalars.last, last.properties.isWhitespace { scalars.removeLast() }
        while let first = scalars.first, first.properties.isWhitespace { scalars.removeFirst() }
        var trimmed = String.UnicodeScalarView()
        trimmed.append(contentsOf: scalars)
        let plain = String(trimmed)
        return PhoneNumber(plain)?.e164 ?? composed(plain.lowercased())
    }

    /// A text in Unicode normalization form C, in which canonically equivalent spellings have the same bytes.
    private static func composed(_ text: String) -> String {
        guard !text.utf8.allSatisfy({ $0 < 0x80 }) else { return text }
        var scalars = String.UnicodeScalarView()
        scalars.append(contentsOf: text._nfc)
        return String(scalars)
    }
}
