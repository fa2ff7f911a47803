import LatchkeyModel

/// The phone numbers that never get text messages, because messages to them cost the operator too much or
/// reach no phone: international networks, and premium, shared-cost and pager numbers.
enum PhoneRanges {
    /// The prefixes without the leading `+`, each with the lengths of the numbers that it stands for, or with
    /// an empty set if it stands for numbers of any length.
    private static let refused: [String: Set<Int>] = {
        var prefixes: [String: Set<Int>] = [:]
        var code = ""
        let lines = list.description.split(separator: "\n")
        for word in (lines.first ?? "").split(separator: " ") { prefixes[String(word)] = [] }
        for line in lines.dropFirst() {
            var words = line.split(separator: " ")[...]
            if line.first != " " { code = String(words.popFirst() ?? "") }
            for word in words {
                let halves = word.split(separator: ":")
                let prefix = code + halves[0]
                guard halves.count == 2, let length = Int(halves[1]) else {
                    prefixes[prefix] = []
                    continue
                }
                prefixes[prefix, default: []].insert(code.count + length)
            }
        }
        return prefixes
    }()

    private static let longestPrefix = refused.keys.reduce(0) { max($0, $1.utf8.count) }

    /// Returns whether a number is in one of the ranges.
    static func contains(_ phone: PhoneNumber) -> Bool {
        let digits = phone.e164.dropFirst()
        return (1...min(longestPrefix, digits.count)).contains { length in
            guard let lengths = refused[String(digits.prefix(length))] else { return false }
            return lengths.isEmpty || lengths.contains(digits.count)
        }
    }
}
