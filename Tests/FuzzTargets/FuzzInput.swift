/// The bytes from a fuzzer, divided into the parts that a target needs: a selector byte, then sections
/// separated by FF.
///
/// UTF-8 text never contains FF, so inputs can be read and written in a text editor.
struct FuzzInput {
    private let choice: UInt8
    private let sections: [ArraySlice<UInt8>]

    init(_ bytes: [UInt8]) {
        choice = bytes.first ?? 0
        sections = bytes.dropFirst().split(separator: 0xFF, omittingEmptySubsequences: false)
    }

    /// Returns the choice that the first byte selects; the letter `a` selects the first one.
    func choose<Choice>(from choices: [Choice]) -> Choice {
        choices[(Int(choice) + 256 - Int(UInt8(ascii: "a"))) % 256 % choices.count]
    }

    /// Returns a section; empty if there are fewer sections.
    func bytes(_ index: Int) -> [UInt8] {
        sections.indices.contains(index) ? Array(sections[index]) : []
    }

    /// Returns a section as text; invalid UTF-8 is replaced, as in header field values.
    func text(_ index: Int) -> String {
        String(decoding: bytes(index), as: UTF8.self)
    }

    /// Returns the lines of a section, each of which is a name and a value separated by an equals sign.
    func pairs(_ index: Int) -> [String: String] {
        var pairs: [String: String] = [:]
        for line in text(index).split(separator: "\n") {
            let halves = line.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            pairs[String(halves[0])] = halves.count > 1 ? String(halves[1]) : ""
        }
        return pairs
    }
}
