import Foundation

/// The files in a folder, along with the first sentence of each file's documentation.
struct SourceTree {
    let folder: String

    /// Returns the tree as a Markdown list sorted by folder path.
    func markdown() throws -> String {
        let root = URL(fileURLWithPath: folder)
        guard let paths = FileManager.default.subpaths(atPath: folder) else {
            throw ExplorerArguments.UsageError(
                description: "\(folder) does not exist; run this in the package's folder"
            )
        }
        let files = paths.filter { $0.hasSuffix(".swift") }
        let folders = Dictionary(grouping: files) {
            $0.split(separator: "/").dropLast().joined(separator: "/")
        }
        var lines: [String] = []
        for (name, files) in folders.sorted(by: { $0.key < $1.key }) {
            lines.append("- `\(name.isEmpty ? folder : folder + "/" + name)`")
            for path in files.sorted() {
                let text = try String(contentsOf: root.appendingPathComponent(path), encoding: .utf8)
                let file = path.split(separator: "/").last.map(String.init) ?? path
                lines.append("  - `\(file)`: \(Self.sentence(of: text))")
            }
        }
        return lines.joined(separator: "\n")
    }

    /// Returns the first sentence of the first documentation comment.
    private static func sentence(of text: String) -> String {
        var words: [String] = []
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            let trimmed = line.drop { $0 == " " }
            guard trimmed.hasPrefix("///") else {
                if words.isEmpty { continue }
                break
            }
            let content = trimmed.dropFirst(3).drop { $0 == " " }
            if content.isEmpty, !words.isEmpty { break }
            words.append(String(content))
            if content.hasSuffix(".") || content.contains(". ") { break }
        }
        let paragraph = words.joined(separator: " ").replacing("``", with: "`")
        let sentence =
            paragraph.range(of: ". ").map { String(paragraph[..<$0.lowerBound]) + "." } ?? paragraph
        return sentence.isEmpty ? "no documentation." : sentence
    }
}
