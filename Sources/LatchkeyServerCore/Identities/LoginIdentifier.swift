import LatchkeyModel

/// The form in which two spellings of what people log in with are the same.
package enum LoginIdentifier {
    /// Normalizes a phone number, an e-mail address or any other identifier.
    ///
    /// Phone numbers become E.164; everything else loses surrounding spaces, control characters and case.
    package static func normalize(_ text: String) -> String {
        if let phone = PhoneNumber(text) { return phone.e164 }
        var scalars = text.unicodeScalars[...]
        while let last = scalars.last, last.properties.isWhitespace { scalars.removeLast() }
        while let first = scalars.first, first.properties.isWhitespace { scalars.removeFirst() }
        var kept = String.UnicodeScalarView()
        kept.append(contentsOf: scalars.filter { $0.value >= 0x20 && $0.value != 0x7F })
        return String(kept).lowercased()
    }
}
