/// A 128-bit identifier that is written as a UUID (RFC 9562).
public struct Identifier: Hashable, Sendable {
    /// The first eight bytes as a big-endian integer.
    package let high: UInt64

    /// The last eight bytes as a big-endian integer.
    package let low: UInt64

    /// Creates an identifier from its first and last eight bytes.
    package init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// Creates a random identifier (a version 4 UUID, RFC 9562).
    ///
    /// - Parameter random: The source of the 122 random bits.
    package init(random: some RandomSource = SystemRandom()) {
        let bytes = random.bytes(16)
        var words: (UInt64, UInt64) = (0, 0)
        for byte in bytes[0..<8] { words.0 = words.0 << 8 | UInt64(byte) }
        for byte in bytes[8..<16] { words.1 = words.1 << 8 | UInt64(byte) }
        self.init(version4High: words.0, low: words.1)
    }

    /// Creates a version 4 UUID from two halves, overwriting their version and variant bits.
    package init(version4High high: UInt64, low: UInt64) {
        self.init(
            high: high & 0xFFFF_FFFF_FFFF_0FFF | 0x4000,
            low: low & 0x3FFF_FFFF_FFFF_FFFF | 0x8000_0000_0000_0000
        )
    }

    /// Creates an identifier from 16 bytes, most significant byte first.
    ///
    /// Returns `nil` if there aren't exactly 16 bytes.
    package init?(bytes: [UInt8]) {
        guard bytes.count == 16 else { return nil }
        var words: (UInt64, UInt64) = (0, 0)
        for index in 0..<8 {
            words.0 = words.0 << 8 | UInt64(bytes[index])
            words.1 = words.1 << 8 | UInt64(bytes[index + 8])
        }
        self.init(high: words.0, low: words.1)
    }

    /// The 16 bytes of the identifier, most significant byte first.
    package var bytes: [UInt8] {
        var bytes = [UInt8]()
        bytes.reserveCapacity(16)
        for shift in stride(from: 56, through: 0, by: -8) {
            bytes.append(UInt8(truncatingIfNeeded: high >> shift))
        }
        for shift in stride(from: 56, through: 0, by: -8) {
            bytes.append(UInt8(truncatingIfNeeded: low >> shift))
        }
        return bytes
    }
}

extension Identifier: LosslessStringConvertible {
    /// Parses a UUID of 36 characters.
    ///
    /// Returns `nil` for any other text.
    ///
    /// - Parameter text: A UUID of the form 8-4-4-4-12. The hexadecimal digits can be in upper or lower case.
    public init?(_ text: String) {
        guard text.utf8.count == 36 else { return nil }
        var high: UInt64 = 0
        var low: UInt64 = 0
        var position = 0
        for byte in text.utf8 {
            if position == 8 || position == 13 || position == 18 || position == 23 {
                guard byte == UInt8(ascii: "-") else { return nil }
            } else {
                guard let digit = byte.hexadecimalValue else { return nil }
                if position < 18 { high = high << 4 | digit } else { low = low << 4 | digit }
            }
            position += 1
        }
        self.init(high: high, low: low)
    }

    /// The identifier as a lowercase UUID of 36 characters.
    public var description: String {
        String(decoding: text, as: UTF8.self)
    }

    /// The UTF-8 representation of ``description``.
    package var text: [UInt8] {
        var text = [UInt8]()
        text.reserveCapacity(36)
        appendText(to: &text)
        return text
    }

    /// Appends ``text`` to an array without allocating a temporary array.
    package func appendText(to text: inout [UInt8]) {
        // Build the text in a temporary buffer, because appending single bytes would check the array's
        // capacity every time.
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 36) { form in
            form.set(high >> 32, digits: 8, at: 0)
            form[8] = UInt8(ascii: "-")
            form.set(high >> 16, digits: 4, at: 9)
            form[13] = UInt8(ascii: "-")
            form.set(high, digits: 4, at: 14)
            form[18] = UInt8(ascii: "-")
            form.set(low >> 48, digits: 4, at: 19)
            form[23] = UInt8(ascii: "-")
            form.set(low, digits: 12, at: 24)
            text.append(contentsOf: form)
        }
    }
}

extension UInt8 {
    fileprivate var hexadecimalValue: UInt64? {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt64(self - UInt8(ascii: "0"))
        case UInt8(ascii: "a")...UInt8(ascii: "f"): UInt64(self - UInt8(ascii: "a") + 10)
        case UInt8(ascii: "A")...UInt8(ascii: "F"): UInt64(self - UInt8(ascii: "A") + 10)
        default: nil
        }
    }
}

extension UnsafeMutableBufferPointer<UInt8> {
    /// Writes the last hexadecimal digits of a number.
    @inline(__always)
    fileprivate func set(_ number: UInt64, digits: Int, at position: Int) {
        for index in 0..<digits {
            let digit = UInt8(truncatingIfNeeded: number >> UInt64(4 * (digits - 1 - index))) & 0xF
            self[position + index] = (digit < 10 ? UInt8(ascii: "0") : UInt8(ascii: "a") - 10) + digit
        }
    }
}
