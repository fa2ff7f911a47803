import LatchkeyModel
import LatchkeyWire

/// A strict JSON parser (RFC 8259) that limits the nesting depth.
///
/// This parser is three times as fast as the general decoder and preserves the order of object members. Input
/// that other parsers interpret differently is rejected, such as duplicate names in an object, lone
/// surrogates and invalid UTF-8. The parser also rejects U+0000, because PostgreSQL can't store it in text.
///
/// For requests, the parser only accepts strings that are cheap to compare. Member names can have at most
/// ``nameLimit`` bytes, and the number of consecutive combining marks is limited (``CombiningMarks``).
package struct JSONParser {
    /// The source of a text, which determines which limits apply.
    package enum Origin: Sendable {
        /// A request. In a request, all limits apply.
        case request

        /// The server's own database. A stored value must always be readable, so the limits on names and
        /// combining marks don't apply.
        case storage
    }

    /// The maximum length of a member name in a request, in bytes.
    package static let nameLimit = 128

    /// The maximum depth to which objects and arrays can be nested.
    package static let depthLimit = 32

    /// The largest number of members for which comparing each name is faster than hashing.
    private static let fewMembers = 8

    private let bytes: [UInt8]
    private let origin: Origin
    private var position = 0
    private var depth = 0

    private init(_ bytes: [UInt8], origin: Origin) {
        self.bytes = bytes
        self.origin = origin
    }

    /// Parses a complete JSON text, which can be any JSON value surrounded by optional white space.
    ///
    /// - Parameters:
    ///   - bytes: The text in UTF-8.
    ///   - origin: The source of the text.
    /// - Returns: The parsed value. Writing it results in the same digits of all numbers.
    /// - Throws: ``Failure``.
    package static func parse(_ bytes: [UInt8], from origin: Origin = .request) throws(Failure) -> OrderedJSON
    {
        var parser = JSONParser(bytes, origin: origin)
        let value = try parser.value()
        parser.skipSpace()
        guard parser.position == bytes.count else { throw parser.failure }
        return value
    }

    private var failure: Failure { Failure(offset: position) }

    /// The byte at the current position, or `nil` at the end of the text.
    private var next: UInt8? {
        position < bytes.count ? bytes[position] : nil
    }

    private mutating func skipSpace() {
        while let byte = next, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { position += 1 }
    }

    /// Skips white space and consumes the given character.
    ///
    /// Returns `false` if a different character follows.
    private mutating func take(_ scalar: Unicode.Scalar) -> Bool {
        skipSpace()
        guard next == UInt8(ascii: scalar) else { return false }
        position += 1
        return true
    }

    private mutating func value() throws(Failure) -> OrderedJSON {
        skipSpace()
        switch next {
        case UInt8(ascii: "{"): return try nested { parser throws(Failure) in try parser.object() }
        case UInt8(ascii: "["): return try nested { parser throws(Failure) in try parser.array() }
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "t"): return try word("true", as: .bool(true))
        case UInt8(ascii: "f"): return try word("false", as: .bool(false))
        case UInt8(ascii: "n"): return try word("null", as: .null)
        default: return try number()
        }
    }

    /// Consumes an opening bracket and reads the rest of the object or array, one level deeper.
    private mutating func nested(
        _ read: (inout JSONParser) throws(Failure) -> OrderedJSON
    ) throws(Failure) -> OrderedJSON {
        guard depth < Self.depthLimit else { throw Failure(offset: position, problem: .depth) }
        depth += 1
        position += 1
        let value = try read(&self)
        depth -= 1
        return value
    }

    private mutating func object() throws(Failure) -> OrderedJSON {
        if take("}") { return .object([]) }
        var members: [OrderedJSON.Member] = []
        members.reserveCapacity(Self.fewMembers)
        var names: Set<[UInt8]> = []
        repeat {
            skipSpace()
            let name = try string()
            guard origin == .storage || name.utf8.count <= Self.nameLimit else {
                throw Failure(offset: position, problem: .longName)
            }
            if members.count == Self.fewMembers { names = Set(members.map { Array($0.name.utf8) }) }
            let isNew =
                members.count < Self.fewMembers
                ? !members.contains { $0.name.hasSameBytes(as: name) }
                : names.insert(Array(name.utf8)).inserted
            guard isNew else { throw Failure(offset: position, problem: .duplicate(name)) }
            guard take(":") else { throw failure }
            members.append(OrderedJSON.Member(name: name, value: try value()))
        } while take(",")
        guard take("}") else { throw failure }
        return .object(members)
    }

    private mutating func array() throws(Failure) -> OrderedJSON {
        var values: [OrderedJSON] = []
        if take("]") { return .array([]) }
        repeat { values.append(try value()) } while take(",")
        guard take("]") else { throw failure }
        return .array(values)
    }

    private mutating func word(_ word: StaticString, as value: OrderedJSON) throws(Failure) -> OrderedJSON {
        let end = position + word.utf8CodeUnitCount
        let isThere = word.withUTF8Buffer { letters in
            end <= bytes.count && bytes[position..<end].elementsEqual(letters)
        }
        guard isThere else { throw failure }
        position = end
        return value
    }

    private mutating func number() throws(Failure) -> OrderedJSON {
        guard let length = JSONNumber.length(ofNumberAtStartOf: bytes[position...]) else { throw failure }
        let text = bytes[position..<(position + length)]
        position += length
        return OrderedJSON(number: text)
    }

    private mutating func string() throws(Failure) -> String {
        guard next == UInt8(ascii: "\"") else { throw failure }
        position += 1
        let start = position
        // Most strings don't contain any escapes, so we can copy them in one step.
        while let byte = next, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\"), byte >= 0x20 {
            position += 1
        }
        if next == UInt8(ascii: "\"") {
            let text = try text(bytes[start..<position])
            position += 1
            return try judged(text)
        }
        var text = Array(bytes[start..<position])
        while let byte = next, byte != UInt8(ascii: "\"") {
            guard byte >= 0x20 else { throw failure }
            position += 1
            if byte == UInt8(ascii: "\\") {
                try appendEscape(to: &text)
            } else {
                text.append(byte)
            }
        }
        guard next == UInt8(ascii: "\"") else { throw failure }
        // Escapes are ASCII, so checking the text as it was sent finds the position of an invalid byte.
        _ = try self.text(bytes[start..<position])
        let string = try self.text(text[...])
        position += 1
        return try judged(string)
    }

    /// Returns the text, or throws an error if it isn't UTF-8.
    private func text(_ bytes: ArraySlice<UInt8>) throws(Failure) -> String {
        if let text = String(validating: bytes, as: UTF8.self) { return text }
        do {
            return try String(utf8: bytes)
        } catch {
            throw Failure(offset: bytes.startIndex + error.offset, problem: .encoding)
        }
    }

    /// Returns the string, or throws an error if it contains too many consecutive combining marks.
    private func judged(_ text: String) throws(Failure) -> String {
        guard origin == .storage || CombiningMarks.areFew(in: text) else {
            throw Failure(offset: position, problem: .combiningMarks)
        }
        return text
    }

    private mutating func appendEscape(to text: inout [UInt8]) throws(Failure) {
        guard let letter = next else { throw failure }
        position += 1
        switch letter {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): text.append(letter)
        case UInt8(ascii: "b"): text.append(0x08)
        case UInt8(ascii: "f"): text.append(0x0C)
        case UInt8(ascii: "n"): text.append(0x0A)
        case UInt8(ascii: "r"): text.append(0x0D)
        case UInt8(ascii: "t"): text.append(0x09)
        case UInt8(ascii: "u"): text.append(contentsOf: Array(Character(try scalar()).utf8))
        default: throw failure
        }
    }

    /// Reads the hexadecimal digits after `\u`.
    ///
    /// If the digits form a high surrogate, this method also reads the low surrogate that must follow.
    private mutating func scalar() throws(Failure) -> Unicode.Scalar {
        let unit = try codeUnit()
        guard unit != 0 else { throw Failure(offset: position, problem: .null) }
        if let scalar = Unicode.Scalar(unit) { return scalar }
        guard
            (0xD800...0xDBFF).contains(unit), next == UInt8(ascii: "\\")
        else { throw failure }
        position += 1
        guard next == UInt8(ascii: "u") else { throw failure }
        position += 1
        let low = try codeUnit()
        guard
            (0xDC00...0xDFFF).contains(low),
            let scalar = Unicode.Scalar(0x10000 + (unit - 0xD800) << 10 + (low - 0xDC00))
        else { throw failure }
        return scalar
    }

    private mutating func codeUnit() throws(Failure) -> UInt32 {
        var unit: UInt32 = 0
        for _ in 0..<4 {
            guard let byte = next, let digit = Character(Unicode.Scalar(byte)).hexDigitValue else {
                throw failure
            }
            unit = unit << 4 | UInt32(digit)
            position += 1
        }
        return unit
    }
}
