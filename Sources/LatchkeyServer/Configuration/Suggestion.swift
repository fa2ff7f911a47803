/// Finds what somebody may have meant.
package enum Suggestion {
    /// The candidate with the fewest letters changed; nothing when none is near.
    ///
    /// - Parameters:
    ///   - text: What was written.
    ///   - candidates: What could have been meant.
    /// - Returns: The nearest candidate; of several, the first in the alphabet.
    package static func closest(to text: String, among candidates: some Sequence<String>) -> String? {
        let limit = min(max(2, text.count / 3), text.count - 1)
        let letters = Array(text)
        // Of names that are longer or shorter than that, more letters differ.
        let near = candidates.filter { abs($0.count - letters.count) <= limit }
            .map { (name: $0, distance: distance(letters, Array($0))) }.filter { $0.distance <= limit }
        return near.min { ($0.distance, $0.name) < ($1.distance, $1.name) }?.name
    }

    /// The number of letters to insert, remove or change (Levenshtein).
    private static func distance(_ left: [Character], _ right: [Character]) -> Int {
        var row = Array(0...right.count)
        for (i, letter) in left.enumerated() {
            var diagonal = row[0]
            row[0] = i + 1
            for (j, other) in right.enumerated() {
                let change = diagonal + (letter == other ? 0 : 1)
                diagonal = row[j + 1]
                row[j + 1] = min(change, row[j] + 1, row[j + 1] + 1)
            }
        }
        return row[right.count]
    }
}
