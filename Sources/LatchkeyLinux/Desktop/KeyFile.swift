import LatchkeyModel

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A file with groups of keys and values, which is the format of desktop files and associations.
struct KeyFile {
    /// The maximum size of the files to read, in bytes.
    private static let sizeLimit = 4_194_304

    private var groups: [String: [String: String]] = [:]

    /// Reads a file.
    ///
    /// Returns `nil` if the file cannot be read.
    init?(contentsOf path: String) {
        guard let bytes = try? Data(contentsOf: URL(filePath: path)), bytes.count <= Self.sizeLimit else {
            return nil
        }
        self.init(bytes)
    }

    /// Parses a file, in which lines that aren't UTF-8 are ignored.
    init(_ bytes: some Collection<UInt8>) {
        var group = ""
        for bytes in bytes.split(separator: UInt8(ascii: "\n")) {
            switch Line(bytes) {
            case .group(let name): group = name
            case .entry(let key, let value):
                // If a key occurs more than once, the first one is used.
                if groups[group, default: [:]][key] == nil { groups[group, default: [:]][key] = value }
            case .other: continue
            }
        }
    }

    /// Returns a group's values by their keys, or `nil` if there is no such group.
    subscript(_ group: String) -> [String: String]? { groups[group] }

    /// A line without its line ending.
    enum Line: Equatable {
        case group(String)
        case entry(key: String, value: String)
        case other

        init(_ bytes: some Sequence<UInt8>) {
            self = .other
            guard let line = try? String(utf8: Array(bytes)) else { return }
            var text = line.drop { $0 == " " || $0 == "\t" }
            while text.last?.isNewline == true { text.removeLast() }
            if text.hasPrefix("#") { return }
            if text.hasPrefix("["), let end = text.firstIndex(of: "]") {
                self = .group(String(text[text.index(after: text.startIndex)..<end]))
            } else if let equals = text.firstIndex(of: "=") {
                var key = text[..<equals]
                while key.last == " " { key.removeLast() }
                let value = text[text.index(after: equals)...].drop { $0 == " " }
                self = .entry(key: String(key), value: String(value))
            }
        }
    }

    /// Splits a semicolon-separated list of ids or types.
    static func list(_ value: String?) -> [String] {
        (value ?? "").split(separator: ";").map { String($0) }
    }

    // MARK: Escapes

    /// Undoes the escapes of a value of the type string.
    ///
    /// Returns `nil` if there is an undefined one.
    static func unescaped(_ value: String) -> String? {
        var result = ""
        var rest = value.unicodeScalars[...]
        while let scalar = rest.popFirst() {
            guard scalar == "\\" else {
                result.unicodeScalars.append(scalar)
                continue
            }
            switch rest.popFirst() {
            case "s": result += " "
            case "n": result += "\n"
            case "t": result += "\t"
            case "r": result += "\r"
            case "\\": result += "\\"
            default: return nil
            }
        }
        return result
    }

    /// Returns the value that stands for a text.
    static func escaped(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case "\t": result += "\\t"
            case "\r": result += "\\r"
            case " " where result.isEmpty: result += "\\s"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}
