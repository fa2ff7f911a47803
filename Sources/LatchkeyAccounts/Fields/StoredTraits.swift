import LatchkeyServerKit
import LatchkeyWire

/// The traits in the pre-rendered members of an identity, of which single values are parsed when they are needed.
///
/// whoami reads a few traits in every request. Skipping the others costs a fraction of parsing the addresses,
/// the metadata and all traits.
struct StoredTraits: Sendable {
    private let bytes: [UInt8]
    /// The members of the traits object, or `nil` if it wasn't found.
    private let members: Range<Int>?

    /// Finds the traits in members that this server has written, which are without the enclosing braces.
    init(in body: [UInt8]) {
        bytes = body
        members = Self.value(of: "traits", in: body.indices, of: body).flatMap { Self.inside($0, of: body) }
    }

    /// Returns the value of a trait, or `nil` if it is missing.
    func value(of field: TraitField) -> OrderedJSON? {
        guard var scope = members else { return nil }
        for name in field.path.dropLast() {
            guard
                let object = Self.value(of: name, in: scope, of: bytes).flatMap({ Self.inside($0, of: bytes) }
                )
            else { return nil }
            scope = object
        }
        guard let name = field.path.last, let range = Self.value(of: name, in: scope, of: bytes) else {
            return nil
        }
        return try? JSONParser.parse(Array(bytes[range]), from: .storage)
    }

    /// Returns the range between the braces of an object, or `nil` if the value isn't an object.
    private static func inside(_ value: Range<Int>, of bytes: [UInt8]) -> Range<Int>? {
        guard value.count >= 2, bytes[value.lowerBound] == UInt8(ascii: "{") else { return nil }
        return value.lowerBound + 1..<value.upperBound - 1
    }

    /// Returns the range of a member's value.
    private static func value(of name: String, in members: Range<Int>, of bytes: [UInt8]) -> Range<Int>? {
        var writer = JSONWriter(reserving: name.utf8.count + 2)
        writer.string(name)
        let wanted = writer.bytes
        return bytes.withUnsafeBufferPointer { bytes in
            var cursor = Cursor(bytes: bytes, position: members.lowerBound, end: members.upperBound)
            while let member = cursor.member() {
                if bytes[member.name].elementsEqual(wanted) { return member.value }
            }
            return nil
        }
    }

    /// A position in JSON that is known to be valid.
    private struct Cursor {
        let bytes: UnsafeBufferPointer<UInt8>
        var position: Int
        let end: Int

        /// Skips a member, and returns the ranges of its name with the quotes and of its value.
        mutating func member() -> (name: Range<Int>, value: Range<Int>)? {
            skip { $0 == UInt8(ascii: ",") || Self.isSpace($0) }
            let start = position
            skipValue()
            let name = start..<position
            skip { $0 == UInt8(ascii: ":") || Self.isSpace($0) }
            let valueStart = position
            skipValue()
            return position > valueStart ? (name, valueStart..<position) : nil
        }

        private mutating func skip(while isSkipped: (UInt8) -> Bool) {
            while position < end, isSkipped(bytes[position]) { position += 1 }
        }

        private mutating func skipValue() {
            var depth = 0
            while position < end {
                switch bytes[position] {
                case UInt8(ascii: "\""): skipString()
                case UInt8(ascii: "{"), UInt8(ascii: "["):
                    depth += 1
                    position += 1
                    continue
                case UInt8(ascii: "}"), UInt8(ascii: "]"):
                    depth -= 1
                    position += 1
                case UInt8(ascii: ","), UInt8(ascii: ":"):
                    position += 1
                    continue
                case let byte where Self.isSpace(byte):
                    position += 1
                    continue
                default:
                    skip { !Self.isDelimiter($0) }
                }
                if depth <= 0 { return }
            }
        }

        private mutating func skipString() {
            position += 1
            while position < end, bytes[position] != UInt8(ascii: "\"") {
                position += bytes[position] == UInt8(ascii: "\\") ? 2 : 1
            }
            position = min(position + 1, end)
        }

        private static func isSpace(_ byte: UInt8) -> Bool {
            byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09
        }

        private static func isDelimiter(_ byte: UInt8) -> Bool {
            byte == UInt8(ascii: ",") || byte == UInt8(ascii: "}") || byte == UInt8(ascii: "]")
                || byte == UInt8(ascii: ":") || isSpace(byte)
        }
    }
}
