/// The serial number of a certificate, with a hexadecimal text form for operators.
package struct SerialNumber: Hashable, Sendable {
    /// The bytes of the number in big-endian order, without leading zeros.
    package let bytes: [UInt8]

    /// Creates a serial number from big-endian bytes and removes leading zeros.
    ///
    /// The number zero has no bytes, and its text is the empty string.
    package init(bytes: [UInt8]) {
        self.bytes = Array(bytes.drop { $0 == 0 })
    }

    /// Parses up to 32 bytes of hexadecimal digits in upper or lower case; colons are ignored.
    ///
    /// The result is `nil` if the text is empty, too long or contains other characters. An odd number of
    /// digits is padded with a leading zero.
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
    /// The number in lowercase hexadecimal, with two digits for each byte.
    package var description: String {
        let digits = Array("0123456789abcdef".utf8)
        return String(
            decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] },
            as: UTF8.self
        )
    }
}
