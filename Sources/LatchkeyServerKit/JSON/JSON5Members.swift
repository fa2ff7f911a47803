import LatchkeyWire

/// The error for an object in which two members have the same name.
package struct DuplicateMember: Error, Hashable, Sendable, CustomStringConvertible {
    package let name: String
    /// The line of the second member, starting at 1.
    package let line: Int

    /// A part of a sentence, such as "line 7: the member courier occurs twice".
    package var description: String { "line \(line): the member \(name) occurs twice" }
}

/// Finds the names of the members in a JSON5 text.
///
/// The text must be valid, because all other errors are left to the decoder.
struct JSON5Members {
    /// An object or an array that the position is in.
    private enum Level {
        case object(names: Set<String>, expectsName: Bool)
        case array
    }

    private let bytes: [UInt8]
    private var position = 0
    private var levels: [Level] = []

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// Returns the first member whose name occurs twice in its object, or `nil` if there is none.
    mutating func duplicate() -> DuplicateMember? {
        while position < bytes.count {
            let start = position
            switch bytes[position] {
            case UInt8(ascii: "/"): skipComment()
            case UInt8(ascii: "{"): open(.object(names: [], expectsName: true))
            case UInt8(ascii: "["): open(.array)
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                _ = levels.popLast()
                position += 1
            case UInt8(ascii: ","):
                if case .object(let names, _)? = levels.last {
                    replace(.object(names: names, expectsName: true))
                }
                position += 1
            case UInt8(ascii: "\""), UInt8(ascii: "'"):
                let text = string()
                if let found = note(text, at: start) { return found }
            case let byte where Self.isDelimiter(byte): position += 1
            default:
                while position < bytes.count, !Self.isDelimiter(bytes[position]) { position += 1 }
                if let found = note(bytes[start..<position], at: start) { return found }
            }
        }
        return nil
    }

    private mutating func open(_ level: Level) {
        levels.append(level)
        position += 1
    }

    private mutating func replace(_ level: Level) {
        levels[levels.count - 1] = level
    }

    /// Notes a text that is a name if a name is expected, and returns the member if the name isn't new.
    private mutating func note(_ text: some Collection<UInt8>, at start: Int) -> DuplicateMember? {
        guard case .object(var names, true)? = levels.last else { return nil }
        // The text was valid UTF-8 before its escape sequences were replaced by ASCII characters.
        let name = String(decoding: text, as: UTF8.self)
        guard names.insert(name).inserted else {
            let line = bytes[..<start].count { $0 == UInt8(ascii: "\n") } + 1
            return DuplicateMember(name: name, line: line)
        }
        replace(.object(names: names, expectsName: false))
        return nil
    }

    /// Reads a string with its quotation marks.
    ///
    /// Escaped ASCII characters are replaced. Other escape sequences stay as they are.
    private mutating func string() -> [UInt8] {
        let mark = bytes[position]
        var text: [UInt8] = []
        position += 1
        while position < bytes.count, bytes[position] != mark {
            if bytes[position] == UInt8(ascii: "\\") {
                text += escape()
            } else {
                text.append(bytes[position])
                position += 1
            }
        }
        position += 1
        return text
    }

    private mutating func escape() -> [UInt8] {
        let start = position
        position = min(position + 2, bytes.count)
        let digits =
            switch bytes[start..<position].last {
            case UInt8(ascii: "u"): 4
            case UInt8(ascii: "x"): 2
            default: 0
            }
        position = min(position + digits, bytes.count)
        let sequence = bytes[start..<position]
        guard digits > 0, let code = UInt8(String(decoding: sequence.dropFirst(2), as: UTF8.self), radix: 16),
            code < 0x80
        else { return Array(sequence) }
        return [code]
    }

    private mutating func skipComment() {
        position += 1
        guard position < bytes.count else { return }
        if bytes[position] == UInt8(ascii: "*") {
            position += 1
            while position < bytes.count, !bytes[..<position].suffix(2).elementsEqual("*/".utf8) {
                position += 1
            }
        } else {
            while position < bytes.count, bytes[position] != UInt8(ascii: "\n") { position += 1 }
        }
    }

    /// Returns whether a byte ends a name or number.
    private static func isDelimiter(_ byte: UInt8) -> Bool {
        byte <= 0x20 || "{}[],:/\"'".utf8.contains(byte)
    }
}
