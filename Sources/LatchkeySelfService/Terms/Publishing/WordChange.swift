import LatchkeyModel

/// How much two texts differ.
enum WordChange {
    /// The share of changed words from which a change is hardly editorial.
    static let editorialLimit = 0.05

    /// Returns the approximate share of words that differ, from 0 to 1.
    ///
    /// Pairs of neighbouring words are counted, so that words in another order differ, too. A changed word
    /// changes two pairs.
    static func share(from old: [UInt8], to new: [UInt8]) -> Double {
        let (old, new) = (words(in: old), words(in: new))
        var counts: [[ArraySlice<UInt8>]: Int] = [:]
        for pair in pairs(of: old) { counts[pair, default: 0] += 1 }
        for pair in pairs(of: new) { counts[pair, default: 0] -= 1 }
        let removed = counts.values.reduce(0) { $0 + max($1, 0) }
        let added = counts.values.reduce(0) { $0 + max(-$1, 0) }
        let changed = (max(removed, added) + 1) / 2
        return min(1, Double(changed) / Double(max(old.count, new.count, 1)))
    }

    private static func words(in text: [UInt8]) -> [ArraySlice<UInt8>] {
        text.split { $0 == 0x20 || (0x09...0x0D).contains($0) }
    }

    private static func pairs(of words: [ArraySlice<UInt8>]) -> [[ArraySlice<UInt8>]] {
        let ends = [ArraySlice<UInt8>()] + words + [[]]
        return zip(ends, ends.dropFirst()).map { [$0, $1] }
    }
}
