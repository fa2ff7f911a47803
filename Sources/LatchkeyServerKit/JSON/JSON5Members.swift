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
    private let bytes: [UInt8]
    private var position = 0
    /// The names in each object that the position is in, and `nil` for each array.
    private var names: [Set<String>?] = []
    /// Whether the next text is the name of a member.
    private var expectsName = false

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// Returns the first member whose name occurs twice in its object, or `nil` if there is none.
    mutating func duplicate() -> DuplicateMember? {
        while position < bytes.count {
            let start = position
            switch bytes[position] {
            case UInt8(ascii: "/"): skipComment()
            case UInt8(ascii: "{"): open([])
            case UInt8(ascii: "["): open(nil)
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                _ = names.popLast()
                expectsName = false
                position += 1
            case UInt8(ascii: ","):
                expectsName = (names.last ?? nil) != nil
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

    private mutating func open(_ names: Set<String>?) {
        self.names.append(names)
        expectsName = names != nil
        position += 1
    }

    /// Notes a text that is a name if a name is expected, and returns the member if the name isn't new.
    private mutating func note(_ text: some Collection<UInt8>, at start: Int) -> DuplicateMember? {
        guard expectsName else { return nil }
        expectsName = false
        // The text was valid UTF-8 before its escape sequences were replaced by ASCII characters.
        let name = String(decoding: text, as: UTF8.self)
        guard names[names.count - 1]?.insert(name).inserted == false else { return nil }
        let line = bytes[..<start].count { $0 == UInt8(ascii: "\n") } + 1
        return DuplicateMember(name: name, line: line)
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
        // An escaped backslash stays as it is, because the other escape sequences do, too.
        guard digits > 0, let code = UInt8(String(decoding: sequence.dropFirst(2), as: UTF8.self), radix: 16),
            code < 0x80, code != UInt8(ascii: "\\")
        else { return Array(sequence) }
        return [code]
    }

    private mutating func skipComment() {
        let isBlock = bytes[position...].starts(with: "/*".utf8)
        position = min(position + 2, bytes.count)
        if isBlock {
            while position < bytes.count, !bytes[position...].starts(with: "*/".utf8) { position += 1 }
            position = min(position + 2, bytes.count)
        } else {
            while position < bytes.count, bytes[position] != UInt8(ascii: "\n"),
                bytes[position] != UInt8(ascii: "\r")
            {
                position += 1
            }
        }
    }

    /// Returns whether a byte ends a name or number.
    private static func isDelimiter(_ byte: UInt8) -> Bool {
        byte <= 0x20 || "{}[],:/\"'".utf8.contains(byte)
    }
}
