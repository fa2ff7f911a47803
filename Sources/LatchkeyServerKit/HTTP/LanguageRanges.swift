/// The language ranges in an `Accept-Language` header field, in order of preference (RFC 9110, section
/// 12.5.4).
package struct LanguageRanges: Sendable {
    /// The language ranges, such as `de-AT`, with the most preferred range first.
    ///
    /// Ranges with the same quality are listed in the order in which they appear in the header field.
    ///
    /// Ranges with a quality of 0 are left out.
    package let ranges: [String]

    /// Parses an `Accept-Language` header field and skips any invalid items.
    ///
    /// Only the first 1024 bytes and the first 50 items are read. Real clients send much shorter fields.
    package init(_ acceptLanguage: String) {
        let items = acceptLanguage.utf8.prefix(1024).split(separator: UInt8(ascii: ",")).prefix(50)
        let wishes = items.compactMap(Wish.init).enumerated().filter { $0.element.quality > .zero }
        ranges = wishes.sorted { left, right in
            (right.element.quality, left.offset) < (left.element.quality, right.offset)
        }.map(\.element.range)
    }

    /// An item in the header field.
    private struct Wish {
        let range: String
        let quality: QualityValue

        init?(_ item: Substring.UTF8View) {
            let parts = QualityValue.parts(of: item)
            guard let range = parts.first, !range.isEmpty, parts.count <= 2 else { return nil }
            guard let quality = parts.count == 2 ? QualityValue(parameter: parts[1]) : .one else {
                return nil
            }
            self.range = String(decoding: range, as: UTF8.self)
            self.quality = quality
        }
    }
}
