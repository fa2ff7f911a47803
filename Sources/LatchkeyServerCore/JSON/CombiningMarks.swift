import LatchkeyWire

/// A bound for combining marks in a row (the Stream-Safe Text Format of UAX #15).
///
/// Comparing, hashing and splitting texts normalizes them, at a cost that grows with the square of the number of marks
/// behind one character. With few of them in a row it grows with the length of the text.
package enum CombiningMarks {
    /// The most marks in a row; no language comes near it.
    package static let limit = 30

    /// The reason for which a request is refused.
    package static let reason = "The request has a text with more than \(limit) combining marks in a row."

    private static let leastValue: UInt32 = 0x300

    /// Returns whether a text has no more than ``limit`` marks in a row.
    package static func areFew(in text: String) -> Bool {
        // Each mark has two bytes or more, of which the first is 0xCC at least.
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

    /// Returns whether the query and the header fields of a request have few marks in a row.
    static func areFew(in exchange: Exchange) -> Bool {
        exchange.query.texts.allSatisfy(areFew)
            && exchange.request.headers.fields.allSatisfy { areFew(in: $0.value) && areFew(in: $0.name) }
    }
}
