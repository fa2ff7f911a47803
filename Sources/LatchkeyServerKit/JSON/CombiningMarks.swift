/// A limit on the number of consecutive combining marks (the Stream-Safe Text Format of UAX #15).
///
/// Swift normalizes strings in order to compare, hash or split them. Normalization takes quadratic time in
/// the number of marks that follow a character. Limiting the number of marks makes normalization linear in
/// the length of the string.
package enum CombiningMarks {
    /// The maximum number of consecutive combining marks, which is far more than any language needs.
    package static let limit = 30

    /// The error reason for a request that exceeds the limit.
    package static let reason =
        "The request contains a string with more than \(limit) consecutive combining marks."

    /// The lowest scalar value of any combining mark.
    ///
    /// Scalars below this value don't need to be looked up.
    private static let leastValue: UInt32 = 0x300

    /// Returns whether a string has at most ``limit`` consecutive combining marks.
    package static func areFew(in text: String) -> Bool {
        // In UTF-8, a combining mark takes up at least two bytes, the first of which is at least 0xCC.
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
