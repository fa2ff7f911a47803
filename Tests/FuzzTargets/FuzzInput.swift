/// The bytes of a fuzzer, cut into what a target needs: a byte that chooses, then sections with FF between them.
///
/// FF stands in no text in UTF-8, so that an input can be read and written by people.
struct FuzzInput {
    private let choice: UInt8
    private let sections: [ArraySlice<UInt8>]

    init(_ bytes: [UInt8]) {
        choice = bytes.first ?? 0
        sections = bytes.dropFirst().split(separator: 0xFF, omittingEmptySubsequences: false)
    }

    /// What the first byte chooses; the letters from `a` on are the first of them.
    func choose<Choice>(from choices: [Choice]) -> Choice {
        choices[(Int(choice) + 256 - Int(UInt8(ascii: "a"))) % 256 % choices.count]
    }

    /// A section; empty when there are not that many.
    func bytes(_ index: Int) -> [UInt8] {
        sections.indices.contains(index) ? Array(sections[index]) : []
    }

    /// A section as a text; what is no UTF-8 is replaced, as where texts come from headers.
    func text(_ index: Int) -> String {
        String(decoding: bytes(index), as: UTF8.self)
    }

    /// The lines of a section, each a name and a value with an equals sign between them.
    func pairs(_ index: Int) -> [String: String] {
        var pairs: [String: String] = [:]
        for line in text(index).split(separator: "\n") {
            let halves = line.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            pairs[String(halves[0])] = halves.count > 1 ? String(halves[1]) : ""
        }
        return pairs
    }
}
