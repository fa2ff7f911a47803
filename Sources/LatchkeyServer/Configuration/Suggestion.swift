/// Suggests the correct spelling of an unknown name.
package enum Suggestion {
    /// Returns the candidate with the smallest edit distance, or `nil` if none of the candidates is similar.
    ///
    /// - Parameters:
    ///   - text: The unknown name that the user entered.
    ///   - candidates: The names that can be suggested.
    /// - Returns: The most similar candidate. If several candidates are equally similar, the first in
    ///   alphabetical order is returned.
    package static func closest(to text: String, among candidates: some Sequence<String>) -> String? {
        // Names are ASCII, so it is enough to compare bytes. A non-ASCII character is counted as several
        // letters.
        let letters = Array(text.utf8)
        var counts = [Int](repeating: 0, count: 256)
        for letter in letters { counts[Int(letter)] += 1 }
        var limit = min(max(2, letters.count / 3), letters.count - 1)
        var closest: String?
        for name in candidates where abs(name.utf8.count - letters.count) <= limit {
            let other = Array(name.utf8)
            guard max(letters.count, other.count) - common(&counts, with: other) <= limit else { continue }
            let distance = distance(letters, other)
            let isNearer = distance < limit || closest.map { name < $0 } ?? true
            if distance <= limit, isNearer { (limit, closest) = (distance, name) }
        }
        return closest
    }

    /// Returns the number of letters that two words have in common, in any order.
    ///
    /// This number is an upper bound on the similarity of the words and is cheap to compute.
    private static func common(_ counts: inout [Int], with letters: [UInt8]) -> Int {
        var common = 0
        for letter in letters {
            counts[Int(letter)] -= 1
            if counts[Int(letter)] >= 0 { common += 1 }
        }
        for letter in letters { counts[Int(letter)] += 1 }
        return common
    }

    /// Returns the Levenshtein distance: the number of letters that have to be inserted, removed or changed.
    private static func distance(_ left: [UInt8], _ right: [UInt8]) -> Int {
        var row = Array(0...right.count)
        for (i, letter) in left.enumerated() {
            var diagonal = row[0]
            var before = i + 1
            row[0] = before
            for (j, other) in right.enumerated() {
                let change = diagonal + (letter == other ? 0 : 1)
                diagonal = row[j + 1]
                before = min(change, diagonal + 1, before + 1)
                row[j + 1] = before
            }
        }
        return row[right.count]
    }
}
