/// A file with associations between types and apps (Association between MIME types and applications 1.0.1).
struct MimeAssociations {
    private static let defaultGroup = "Default Applications"

    private let file: KeyFile

    /// Reads a file.
    ///
    /// Returns `nil` if the file cannot be read.
    init?(contentsOf path: String) {
        guard let file = KeyFile(contentsOf: path) else { return nil }
        self.file = file
    }

    /// Returns the ids of the apps that are set as the default for a type, in order of preference.
    func defaults(_ type: String) -> [String] { KeyFile.list(file[Self.defaultGroup]?[type]) }

    /// Returns the ids of the apps that are associated with a type.
    func added(_ type: String) -> [String] { KeyFile.list(file["Added Associations"]?[type]) }

    /// Returns the ids of the apps that declare a type, but aren't associated with it.
    func removed(_ type: String) -> [String] { KeyFile.list(file["Removed Associations"]?[type]) }

    // MARK: Changes

    /// Returns the bytes of a file in which an app is the first default for a type.
    ///
    /// All other lines remain byte for byte, also comments and lines in unknown groups.
    static func adding(default id: String, for type: String, to bytes: [UInt8]) -> [UInt8] {
        var lines = lines(of: bytes)
        if let index = index(of: type, in: lines), case .entry(_, let value) = KeyFile.Line(lines[index]) {
            let ids = KeyFile.list(value)
            guard ids.first != id else { return bytes }
            lines[index] = line(type, ids: [id] + ids.filter { $0 != id })
            return Array(lines.joined())
        }
        if let last = lines.indices.last, lines[last].last != newline { lines[last].append(newline) }
        if let header = lines.firstIndex(where: { KeyFile.Line($0) == .group(defaultGroup) }) {
            lines.insert(line(type, ids: [id]), at: header + 1)
        } else {
            lines.append(Array("\(lines.isEmpty ? "" : "\n")[\(defaultGroup)]\n".utf8))
            lines.append(line(type, ids: [id]))
        }
        return Array(lines.joined())
    }

    /// Returns the bytes of a file in which an app isn't a default for a type.
    static func removing(default id: String, for type: String, from bytes: [UInt8]) -> [UInt8] {
        var lines = lines(of: bytes)
        guard let index = index(of: type, in: lines), case .entry(_, let value) = KeyFile.Line(lines[index])
        else { return bytes }
        let ids = KeyFile.list(value)
        let others = ids.filter { $0 != id }
        guard others != ids else { return bytes }
        if others.isEmpty { lines.remove(at: index) } else { lines[index] = line(type, ids: others) }
        return Array(lines.joined())
    }

    private static let newline = UInt8(ascii: "\n")

    private static func line(_ type: String, ids: [String]) -> [UInt8] {
        Array("\(type)=\(ids.map { $0 + ";" }.joined())\n".utf8)
    }

    /// Splits bytes into lines with their line endings.
    private static func lines(of bytes: [UInt8]) -> [[UInt8]] {
        var lines: [[UInt8]] = []
        var rest = bytes[...]
        while let end = rest.firstIndex(of: newline) {
            lines.append(Array(rest[...end]))
            rest = rest[(end + 1)...]
        }
        return rest.isEmpty ? lines : lines + [Array(rest)]
    }

    /// Returns the index of the line with the defaults for a type, or `nil` if there is none.
    private static func index(of type: String, in lines: [[UInt8]]) -> Int? {
        var isInGroup = false
        for (index, bytes) in lines.enumerated() {
            switch KeyFile.Line(bytes) {
            case .group(let name): isInGroup = name == defaultGroup
            case .entry(type, _) where isInGroup: return index
            default: continue
            }
        }
        return nil
    }
}
