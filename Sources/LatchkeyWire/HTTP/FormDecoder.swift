/// Decodes queries and bodies in the `application/x-www-form-urlencoded` format (WHATWG URL Standard, section
/// 5.1).
package struct FormDecoder: Sendable {
    /// Determines how malformed input is handled.
    package enum Strictness: Sendable {
        /// Keeps malformed percent escapes unchanged and replaces invalid UTF-8 with U+FFFD, like browsers
        /// do.
        case lenient
        /// Rejects malformed percent escapes, invalid UTF-8 and U+0000.
        case strict
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
    /// - Returns: The decoded fields, or `nil` if the decoder is strict and the text is malformed.
    package func decode(_ bytes: [UInt8]) -> [Field]? {
        var fields: [Field] = []
        for pair in bytes.split(separator: UInt8(ascii: "&")) {
            let halves = pair.split(
                separator: UInt8(ascii: "="),
                maxSplits: 1,
                omittingEmptySubsequences: false
            )
            guard
                let name = text(halves[0]),
                let value = halves.count > 1 ? text(halves[1]) : ""
            else { return nil }
            fields.append(Field(name: name, value: value))
        }
        return fields
    }

    /// Decodes percent escapes and plus signs.
    private func text(_ encoded: ArraySlice<UInt8>) -> String? {
        var decoded: [UInt8] = []
        decoded.reserveCapacity(encoded.count)
        var rest = encoded
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "+"): decoded.append(UInt8(ascii: " "))
            case UInt8(ascii: "%"):
                if let escaped = Self.byte(rest.prefix(2)) {
                    decoded.append(escaped)
                    rest.removeFirst(2)
                } else {
                    guard strictness == .lenient else { return nil }
                    decoded.append(byte)
                }
            default: decoded.append(byte)
            }
        }
        switch strictness {
        case .lenient: return String(decoding: decoded, as: UTF8.self)
        case .strict:
            // `String(validating:as:)` requires iOS 18. Instead, we decode the bytes leniently and check that
            // no bytes were replaced.
            let text = String(decoding: decoded, as: UTF8.self)
            return decoded.contains(0) || !text.utf8.elementsEqual(decoded) ? nil : text
        }
    }

    /// Converts two hexadecimal digits to a byte.
    ///
    /// Returns `nil` for any other text.
    private static func byte(_ digits: ArraySlice<UInt8>) -> UInt8? {
        guard
            digits.count == 2,
            let high = digits.first.flatMap(value), let low = digits.dropFirst().first.flatMap(value)
        else { return nil }
        return high << 4 | low
    }

    private static func value(of digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
        case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
        default: nil
        }
    }
}
