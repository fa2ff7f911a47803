/// A 128-bit identifier with the textual form of a UUID (RFC 9562).
public struct Identifier: Hashable, Sendable {
    /// The first eight bytes, most significant first.
    package let high: UInt64

    /// The last eight bytes, most significant first.
    package let low: UInt64

    /// Creates an identifier from its two halves.
    package init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// Creates a random identifier (RFC 9562, version 4).
    ///
    /// - Parameter random: The source of the 122 random bits.
    package init(random: some RandomSource = SystemRandom()) {
        let bytes = random.bytes(16)
        var words: (UInt64, UInt64) = (0, 0)
        for byte in bytes[0..<8] { words.0 = words.0 << 8 | UInt64(byte) }
        for byte in bytes[8..<16] { words.1 = words.1 << 8 | UInt64(byte) }
        self.init(version4High: words.0, low: words.1)
    }

    /// Creates a version 4 identifier; overwrites the version and variant bits of the given halves.
    package init(version4High high: UInt64, low: UInt64) {
        self.init(
            high: high & 0xFFFF_FFFF_FFFF_0FFF | 0x4000,
            low: low & 0x3FFF_FFFF_FFFF_FFFF | 0x8000_0000_0000_0000
        )
    }

    /// Creates an identifier from its 16 bytes, most significant first; returns `nil` if there are not 16.
    package init?(bytes: [UInt8]) {
        guard bytes.count == 16 else { return nil }
        var words: (UInt64, UInt64) = (0, 0)
        for index in 0..<8 {
            words.0 = words.0 << 8 | UInt64(bytes[index])
            words.1 = words.1 << 8 | UInt64(bytes[index + 8])
        }
        self.init(high: words.0, low: words.1)
    }

    /// The 16 bytes of the identifier, most significant first.
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
    /// Parses the 36-character form; returns `nil` for any other text.
    ///
    /// - Parameter text: The form 8-4-4-4-12, with hexadecimal digits of either case.
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

    /// The 36-character form in lower case.
    public var description: String {
        String(decoding: text, as: UTF8.self)
    }

    /// The UTF-8 bytes of ``description``.
    package var text: [UInt8] {
        var text = [UInt8]()
        text.reserveCapacity(36)
        appendText(to: &text)
        return text
    }

    /// Appends ``text`` to an array, without allocating an array for it.
    package func appendText(to text: inout [UInt8]) {
        // Collects the text in a buffer, because appending byte by byte would check the array's capacity each
        // time.
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 36) { form in
            var (high, low) = (high, low)
            for position in stride(from: 35, through: 0, by: -1) {
                let byte: UInt8
                switch position {
                case 8, 13, 18, 23:
                    byte = UInt8(ascii: "-")
                case 19...:
                    byte = .hexadecimalDigit(UInt8(truncatingIfNeeded: low & 0xF))
                    low >>= 4
                default:
                    byte = .hexadecimalDigit(UInt8(truncatingIfNeeded: high & 0xF))
                    high >>= 4
                }
                form.initializeElement(at: position, to: byte)
            }
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

    fileprivate static func hexadecimalDigit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
    }
}
