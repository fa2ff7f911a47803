/// The exact value of a JSON number, which can be compared with other numbers of any size.
package struct DecimalNumber: Hashable, Comparable, Sendable {
    /// The largest exponent that is computed.
    ///
    /// Larger exponents are treated like this one.
    private static let greatestExponent = 1 << 40

    private let isNegative: Bool
    /// The digits without zeros at either end.
    ///
    /// The value is 0.DIGITS × 10^``exponent``.
    private let digits: [UInt8]
    private let exponent: Int

    /// Reads the text of a JSON number, which must be valid.
    package init(_ text: some Sequence<UInt8>) {
        var digits: [UInt8] = []
        var (point, power) = (0, 0)
        var (isNegative, isPowerNegative, isAfterPoint, isInPower) = (false, false, false, false)
        for byte in text {
            switch byte {
            case UInt8(ascii: "-"): if isInPower { isPowerNegative = true } else { isNegative = true }
            case UInt8(ascii: "."): isAfterPoint = true
            case UInt8(ascii: "e"), UInt8(ascii: "E"): isInPower = true
            case UInt8(ascii: "0")...UInt8(ascii: "9") where isInPower:
                power = min(power * 10 + Int(byte - UInt8(ascii: "0")), Self.greatestExponent)
            case UInt8(ascii: "0")...UInt8(ascii: "9"):
                digits.append(byte)
                if !isAfterPoint { point += 1 }
            default: break
            }
        }
        let zeros = digits.prefix { $0 == UInt8(ascii: "0") }.count
        digits.removeFirst(zeros)
        while digits.last == UInt8(ascii: "0") { digits.removeLast() }
        self.digits = digits
        self.isNegative = isNegative && !digits.isEmpty
        exponent = digits.isEmpty ? 0 : point - zeros + (isPowerNegative ? -power : power)
    }

    /// Whether the number has no fraction, such as `1.0`.
    package var isInteger: Bool { digits.isEmpty || exponent >= digits.count }

    package static func < (left: DecimalNumber, right: DecimalNumber) -> Bool {
        guard left.sign == right.sign else { return left.sign < right.sign }
        let (smaller, larger) = left.isNegative ? (right, left) : (left, right)
        guard smaller.exponent == larger.exponent else { return smaller.exponent < larger.exponent }
        return smaller.digits.lexicographicallyPrecedes(larger.digits)
    }

    private var sign: Int { isNegative ? -1 : digits.isEmpty ? 0 : 1 }
}

extension JSONValue {
    /// The exact value of a number, or `nil` if this isn't a number.
    package var decimal: DecimalNumber? {
        switch self {
        case .integer(let number): DecimalNumber(String(number).utf8)
        case .double(let number): DecimalNumber(JSONWriter.text(of: number).utf8)
        case .number(let number): DecimalNumber(number.description.utf8)
        case .null, .bool, .string, .array, .object: nil
        }
    }

    /// Returns whether two values are equal as in JSON Patch, where `1`, `1.0` and `1e0` are the same number
    /// (RFC 6902, section 4.6).
    package func isEqual(to other: JSONValue) -> Bool {
        switch (self, other) {
        case (.array(let left), .array(let right)):
            return left.count == right.count && zip(left, right).allSatisfy { $0.isEqual(to: $1) }
        case (.object(let left), .object(let right)):
            return left.count == right.count
                && left.allSatisfy { name, value in right[name].map { value.isEqual(to: $0) } == true }
        default:
            guard let left = decimal, let right = other.decimal else { return self == other }
            return left == right
        }
    }
}
