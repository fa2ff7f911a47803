/// A certificate's serial number.
///
/// Operators see serial numbers in hexadecimal.
package struct SerialNumber: Hashable, Sendable {
    /// The bytes of the number in big-endian order, without leading zeros.
    package let bytes: [UInt8]

    /// Creates a serial number from big-endian bytes.
    ///
    /// Leading zeros are removed.
    ///
    /// Zero is represented by an empty array, and its description is an empty string.
    package init(bytes: [UInt8]) {
        self.bytes = Array(bytes.drop { $0 == 0 })
    }

    /// Parses a hexadecimal number of up to 32 bytes, in upper or lower case.
    ///
    /// Colons are ignored.
    ///
    /// If the number of digits is odd, a leading zero is added. Returns `nil` if the text is empty, too long
    /// or contains any other characters.
    package init?(_ text: String) {
        var digits = text.utf8.filter { $0 != UInt8(ascii: ":") }
        if !digits.count.isMultiple(of: 2) { digits.insert(UInt8(ascii: "0"), at: 0) }
        guard (2...64).contains(digits.count) else { return nil }
        var bytes: [UInt8] = []
        for start in stride(from: 0, to: digits.count, by: 2) {
            guard
                let high = Character(Unicode.Scalar(digits[start])).hexDigitValue,
                let low = Character(Unicode.Scalar(digits[start + 1])).hexDigitValue
            else { return nil }
            bytes.append(UInt8(high << 4 | low))
        }
        self.init(bytes: bytes)
    }
}

extension SerialNumber: CustomStringConvertible {
    /// The serial number in lowercase hexadecimal, with two digits per byte.
    package var description: String {
        let digits = Array("0123456789abcdef".utf8)
        return String(
            decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] },
            as: UTF8.self
        )
    }
}
