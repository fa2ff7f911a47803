package import LatchkeyModel

/// Writes JSON directly to a byte array.
///
/// This type is used for performance-critical responses.
///
/// Callers use nested closures to build the structure. The writer inserts the commas.
///
/// The structure isn't validated. In objects, callers must write a name before each value.
package struct JSONWriter {
    /// The JSON that has been written so far.
    package private(set) var bytes: [UInt8] = []
    private var needsComma = false

    /// Creates a writer that reserves space for the given number of bytes.
    package init(reserving capacity: Int = 2048) {
        bytes.reserveCapacity(capacity)
    }

    /// Writes an object.
    ///
    /// - Parameter members: A closure that writes the names and values.
    /// - Throws: The error thrown by the closure. The JSON is incomplete if an error is thrown.
    package mutating func object<Failure: Error>(_ members: (inout JSONWriter) throws(Failure) -> Void)
        throws(Failure)
    {
        open("{")
        try members(&self)
        close("}")
    }

    /// Writes an array.
    ///
    /// - Parameter elements: A closure that writes the values.
    /// - Throws: The error thrown by the closure. The JSON is incomplete if an error is thrown.
    package mutating func array<Failure: Error>(_ elements: (inout JSONWriter) throws(Failure) -> Void)
        throws(Failure)
    {
        open("[")
        try elements(&self)
        close("]")
    }

    /// Writes the name of the next member without escaping it.
    ///
    /// The name must not contain any quotation marks, backslashes or control characters.
    package mutating func name(_ name: StaticString) {
        separate()
        bytes.append(UInt8(ascii: "\""))
        name.withUTF8Buffer { bytes.append(contentsOf: $0) }
        bytes.append(UInt8(ascii: "\""))
        bytes.append(UInt8(ascii: ":"))
        needsComma = false
    }

    /// Writes the name of the next member, escaping it if necessary.
    ///
    /// Use this method if the name isn't a constant.
    package mutating func name(escaping name: String) {
        separate()
        appendQuoted(name)
        bytes.append(UInt8(ascii: ":"))
        needsComma = false
    }

    /// Writes a string.
    ///
    /// Quotation marks, backslashes and control characters are escaped (RFC 8259, section 7). Slashes are not
    /// escaped.
    package mutating func string(_ text: String) {
        separate()
        appendQuoted(text)
        needsComma = true
    }

    /// Writes an integer.
    package mutating func integer(_ number: Int64) {
        literal(String(number))
    }

    /// Writes `true` or `false`.
    package mutating func bool(_ value: Bool) {
        literal(value ? "true" : "false")
    }

    /// Writes a number.
    ///
    /// If the number isn't finite, `null` is written instead.
    ///
    /// Numbers without a fraction are written as integers.
    package mutating func double(_ number: Double) {
        guard number.isFinite else { return null() }
        literal(Self.text(of: number))
    }

    /// Returns the JSON text of a finite number.
    static func text(of number: Double) -> String {
        let text = "\(number)"
        return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
    }

    /// Writes a number with the digits that it was read with.
    package mutating func number(_ number: JSONNumber) {
        literal(number.description)
    }

    /// Writes `null`.
    package mutating func null() {
        literal("null")
    }

    /// Writes an identifier as a string.
    package mutating func identifier(_ identifier: Identifier) {
        quote { identifier.appendText(to: &$0) }
    }

    /// Writes a time as a string in RFC 3339 format.
    package mutating func time(_ time: Timestamp) {
        quote { time.appendRFC3339(to: &$0) }
    }

    /// Writes bytes that are already encoded as JSON.
    ///
    /// The bytes must be a complete value or, in an object, complete members separated by commas, without the
    /// braces. There must be at least one byte, and the bytes are not validated.
    package mutating func raw(_ json: some Collection<UInt8>) {
        separate()
        bytes.append(contentsOf: json)
        needsComma = true
    }

    /// Writes any JSON value.
    ///
    /// The members of objects are sorted by name.
    package mutating func value(_ value: JSONValue) {
        switch value {
        case .null: null()
        case .bool(let value): bool(value)
        case .integer(let value): integer(value)
        case .double(let value): double(value)
        case .number(let value): number(value)
        case .string(let text): string(text)
        case .array(let values): array { writer in for value in values { writer.value(value) } }
        case .object(let members):
            object { writer in
                for (name, value) in members.sorted(by: { $0.key < $1.key }) {
                    writer.name(escaping: name)
                    writer.value(value)
                }
            }
        }
    }

    private mutating func literal(_ text: String) {
        separate()
        bytes.append(contentsOf: text.utf8)
        needsComma = true
    }

    @inline(__always)
    private mutating func quote(_ write: (inout [UInt8]) -> Void) {
        separate()
        bytes.append(UInt8(ascii: "\""))
        write(&bytes)
        bytes.append(UInt8(ascii: "\""))
        needsComma = true
    }

    private mutating func open(_ bracket: Unicode.Scalar) {
        separate()
        bytes.append(UInt8(ascii: bracket))
        needsComma = false
    }

    private mutating func close(_ bracket: Unicode.Scalar) {
        bytes.append(UInt8(ascii: bracket))
        needsComma = true
    }

    private mutating func separate() {
        if needsComma { bytes.append(UInt8(ascii: ",")) }
    }

    private mutating func appendQuoted(_ text: String) {
        bytes.append(UInt8(ascii: "\""))
        var text = text
        text.withUTF8 { utf8 in
            // Most strings don't need to be escaped and can be copied in one step.
            guard utf8.contains(where: Self.needsEscape) else { return bytes.append(contentsOf: utf8) }
            appendEscaped(utf8)
        }
        bytes.append(UInt8(ascii: "\""))
    }

    private mutating func appendEscaped(_ utf8: UnsafeBufferPointer<UInt8>) {
        for byte in utf8 {
            switch byte {
            case UInt8(ascii: "\""): bytes += [UInt8(ascii: "\\"), UInt8(ascii: "\"")]
            case UInt8(ascii: "\\"): bytes += [UInt8(ascii: "\\"), UInt8(ascii: "\\")]
            case 0x08: bytes += [UInt8(ascii: "\\"), UInt8(ascii: "b")]
            case 0x0C: bytes += [UInt8(ascii: "\\"), UInt8(ascii: "f")]
            case 0x0A: bytes += [UInt8(ascii: "\\"), UInt8(ascii: "n")]
            case 0x0D: bytes += [UInt8(ascii: "\\"), UInt8(ascii: "r")]
            case 0x09: bytes += [UInt8(ascii: "\\"), UInt8(ascii: "t")]
            case 0..<0x20:
                bytes.append(contentsOf: "\\u00".utf8)
                bytes += [Self.hexadecimal[Int(byte >> 4)], Self.hexadecimal[Int(byte & 15)]]
            default: bytes.append(byte)
            }
        }
    }

    private static func needsEscape(_ byte: UInt8) -> Bool {
        byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
    }

    private static let hexadecimal = Array("0123456789abcdef".utf8)
}
