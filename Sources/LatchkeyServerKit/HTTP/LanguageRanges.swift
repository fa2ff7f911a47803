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
        let wishes = items.compactMap { Wish(Substring($0)) }.enumerated().filter { $0.element.quality > 0 }
        ranges = wishes.sorted { left, right in
            (right.element.quality, left.offset) < (left.element.quality, right.offset)
        }.map(\.element.range)
    }

    /// An item in the header field.
    ///
    /// The quality is stored in thousandths.
    private struct Wish {
        let range: String
        let quality: Int

        init?(_ item: Substring) {
            let parts = item.split(separator: ";", omittingEmptySubsequences: false)
                .map { $0.filter { $0 != " " && $0 != "\t" } }
            guard let range = parts.first, !range.isEmpty, parts.count <= 2 else { return nil }
            self.range = range
            guard parts.count == 2 else {
                quality = 1000
                return
            }
            guard let quality = Self.quality(parts[1]) else { return nil }
            self.quality = quality
        }

        /// Parses a quality such as `q=0.5`, which must be from 0 to 1 with at most three decimal places.
        private static func quality(_ text: String) -> Int? {
            guard text.lowercased().hasPrefix("q=") else { return nil }
            let number = text.dropFirst(2).split(separator: ".", omittingEmptySubsequences: false)
            let fraction = number.count == 2 ? number[1] : ""
            guard
                let whole = number.first, whole == "0" || whole == "1", number.count <= 2,
                fraction.utf8.count <= 3,
                fraction.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
                let thousandths = Int(fraction + String(repeating: "0", count: 3 - fraction.utf8.count))
            else { return nil }
            let quality = (whole == "1" ? 1000 : 0) + thousandths
            return quality <= 1000 ? quality : nil
        }
    }
}
