/// A JSON number that is stored as it was written, because neither `Int64` nor `Double` has its exact value.
///
/// Examples are `18446744073709551615`, `1E400` and `1.10`. Two numbers are only equal if they are written
/// the same way.
public struct JSONNumber: Hashable, Sendable, CustomStringConvertible {
    /// The number as it is written in JSON.
    public let description: String

    /// Creates a number from its JSON text (RFC 8259, section 6).
    ///
    /// - Parameter text: The text, such as `1.10`. For any other text, the result is `nil`.
    public init?(_ text: String) {
        guard Self.length(ofNumberAtStartOf: Array(text.utf8)[...]) == text.utf8.count else { return nil }
        description = text
    }

    /// Creates a number from bytes that are already known to be a JSON number.
    package init(valid bytes: some Collection<UInt8>) {
        description = String(decoding: bytes, as: UTF8.self)
    }

    /// The closest `Double`, which is infinite if the number is too large.
    public var double: Double { Double(description) ?? .nan }

    /// Returns the length of the JSON number at the start of a text, or `nil` if there is none.
    package static func length(ofNumberAtStartOf text: ArraySlice<UInt8>) -> Int? {
        var index = text.startIndex
        func next(_ scalar: Unicode.Scalar) -> Bool {
            index < text.endIndex && text[index] == UInt8(ascii: scalar)
        }
        func skipDigits() -> Bool {
            let start = index
            while index < text.endIndex, (0x30...0x39).contains(text[index]) { index += 1 }
            return index > start
        }
        if next("-") { index += 1 }
        if next("0") { index += 1 } else if !skipDigits() { return nil }
        if next(".") {
            index += 1
            guard skipDigits() else { return nil }
        }
        if next("e") || next("E") {
            index += 1
            if next("+") || next("-") { index += 1 }
            guard skipDigits() else { return nil }
        }
        return index - text.startIndex
    }
}

extension JSONValue {
    /// Creates a number from its JSON text: an ``integer(_:)`` or a ``double(_:)`` if writing it results in
    /// the same text, and a ``number(_:)-(JSONNumber)`` otherwise.
    package init(numberText text: some Collection<UInt8>) {
        // The longest texts that can be written again are those of a `Double`.
        if text.count <= 24 {
            let number = String(decoding: text, as: UTF8.self)
            if let integer = Int64(number), text.first != UInt8(ascii: "-") || integer != 0 {
                self = .integer(integer)
                return
            }
            if let double = Double(number), double.isFinite, JSONWriter.text(of: double) == number {
                self = .double(double)
                return
            }
        }
        self = .number(JSONNumber(valid: text))
    }
}
