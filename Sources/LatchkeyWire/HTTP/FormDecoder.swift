package import LatchkeyModel

/// Decodes queries and bodies in the `application/x-www-form-urlencoded` format (WHATWG URL Standard, section
/// 5.1).
package struct FormDecoder: Sendable {
    /// Determines how malformed input is handled.
    package enum Strictness: Sendable {
        /// Keeps malformed percent escapes unchanged, like browsers do, and only rejects invalid UTF-8.
        case lenient
        /// Rejects malformed percent escapes, invalid UTF-8 and U+0000.
        case strict
    }

    /// Thrown for text that can't be decoded.
    package enum Failure: Error, Hashable, Sendable, CustomStringConvertible {
        /// A name or a value isn't UTF-8. The offset is the position in the encoded text.
        case encoding(InvalidUTF8)
        /// The text contains a malformed percent escape or U+0000.
        case malformed

        /// The end of a sentence that begins with the name of the input, such as "The body is".
        package var description: String {
            switch self {
            case .encoding(let error): error.description
            case .malformed: "malformed: it contains an invalid percent escape or U+0000"
            }
        }
    }

    /// A decoded name and value.
    ///
    /// The value is empty if there is no `=`.
    package struct Field: Hashable, Sendable {
        /// The decoded name.
        ///
        /// The name is empty if the field starts with `=`.
        package let name: String
        package let value: String

        package init(name: String, value: String) {
            self.name = name
            self.value = value
        }
    }

    private let strictness: Strictness

    /// Creates a decoder.
    ///
    /// Use lenient decoding for queries, and strict decoding for data that must be unambiguous.
    package init(_ strictness: Strictness) {
        self.strictness = strictness
    }

    /// Decodes the fields of a query or body, in order.
    ///
    /// Names may be repeated. Empty fields (`&&`) are skipped.
    ///
    /// - Parameter bytes: The encoded text.
    /// - Returns: The decoded fields.
    /// - Throws: ``Failure``.
    package func decode(_ bytes: [UInt8]) throws(Failure) -> [Field] {
        var fields: [Field] = []
        try decode(bytes, into: &fields)
        return fields
    }

    /// Decodes the fields and appends them to an array, which has the fields before the error if there is
    /// one.
    func decode(_ bytes: [UInt8], into fields: inout [Field]) throws(Failure) {
        for pair in bytes.split(separator: UInt8(ascii: "&")) {
            let halves = pair.split(
                separator: UInt8(ascii: "="),
                maxSplits: 1,
                omittingEmptySubsequences: false
            )
            let value = halves.count > 1 ? try text(halves[1]) : ""
            fields.append(Field(name: try text(halves[0]), value: value))
        }
    }

    /// Decodes percent escapes and plus signs.
    private func text(_ encoded: ArraySlice<UInt8>) throws(Failure) -> String {
        guard strictness == .lenient || PercentEncoding.isWellFormed(encoded) else { throw .malformed }
        let text: String
        do {
            text = try PercentEncoding.decode(encoded, spaceForPlus: true)
        } catch {
            throw .encoding(error)
        }
        guard strictness == .lenient || !text.utf8.contains(0) else { throw .malformed }
        return text
    }
}
