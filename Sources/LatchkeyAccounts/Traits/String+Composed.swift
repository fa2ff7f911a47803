// The standard library implements the Unicode normalization forms but doesn't have a public API for them yet.
@_spi(_Unicode) import Swift

extension String {
    /// The string in Unicode normalization form C, in which canonically equivalent spellings have the same
    /// bytes.
    ///
    /// The number of consecutive combining marks must be limited, because normalization takes quadratic time
    /// in their number.
    var composed: String {
        guard !utf8.allSatisfy({ $0 < 0x80 }) else { return self }
        var scalars = String.UnicodeScalarView()
        scalars.append(contentsOf: _nfc)
        return String(scalars)
    }
}
