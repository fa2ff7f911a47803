/// A limit on consecutive combining marks (the Stream-Safe Text Format of UAX #15).
///
/// Swift normalizes strings to compare, hash or split them, at a cost that is quadratic in the number of
/// marks after one character. A limit on that number makes the cost linear in the length of the string.
package enum CombiningMarks {
    /// The maximum number of consecutive marks, far more than any language needs.
    package static let limit = 30

    /// The reason in the error for a request that exceeds the limit.
    package static let reason =
        "The request contains a string with more than \(limit) consecutive combining marks."

    /// The first scalar value with a combining class, below which scalars need no lookup.
    private static let leastValue: UInt32 = 0x300

    /// Returns whether a string has at most ``limit`` consecutive marks.
    package static func areFew(in text: String) -> Bool {
        // A mark has at least two bytes in UTF-8, and its first byte is at least 0xCC.
        guard text.utf8.count > 2 * limit, text.utf8.contains(where: { $0 >= 0xCC }) else { return true }
        var inRow = 0
        for scalar in text.unicodeScalars {
            let isMark =
                scalar.value >= leastValue && scalar.properties.canonicalCombiningClass != .notReordered
            inRow = isMark ? inRow + 1 : 0
            if inRow > limit { return false }
        }
        return true
    }
}
