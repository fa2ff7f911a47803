/// Writes DER (Distinguished Encoding Rules, ITU-T X.690).
///
/// The writer supports only the few structures that clients need to create.
package struct DERWriter {
    /// The tags of the supported types.
    ///
    /// For constructed types, the tag includes the constructed bit.
    package enum Tag: UInt8, Sendable {
        case integer = 0x02
        case bitString = 0x03
        case objectIdentifier = 0x06
        case utf8String = 0x0C
        case sequence = 0x30
        case set = 0x31
        /// Context-specific tag 0, for a constructed type.
        case context0 = 0xA0
    }

    /// The bytes that have been written so far.
    package private(set) var bytes: [UInt8] = []

    /// Creates an empty writer.
    package init() {}

    /// Appends a value that consists of other values.
    ///
    /// The closure must write the nested values with the writer that is passed to it.
    package mutating func append(_ tag: Tag, content: (inout DERWriter) -> Void) {
        var inner = DERWriter()
        content(&inner)
        append(tag, bytes: inner.bytes)
    }

    /// Appends a value whose content is already encoded.
    package mutating func append(_ tag: Tag, bytes content: some Collection<UInt8>) {
        bytes.append(tag.rawValue)
        appendLength(content.count)
        bytes += content
    }

    /// Appends a complete encoded value, including its tag and length.
    package mutating func append(encoded value: some Collection<UInt8>) {
        bytes += value
    }

    /// Appends a non-negative integer.
    ///
    /// - Parameter digits: The bytes of the number, most significant byte first. Leading zeros are removed.
    package mutating func append(unsigned digits: some Collection<UInt8>) {
        let significant = digits.drop { $0 == 0 }
        // DER integers are signed and have at least one byte, so add a zero byte if the first bit is set or
        // if there are no digits.
        let isPadded = significant.first.map { $0 >= 0x80 } ?? true
        append(.integer, bytes: (isPadded ? [0] : []) + significant)
    }

    /// Appends a bit string that consists of whole bytes.
    package mutating func append(bitString content: some Collection<UInt8>) {
        append(.bitString, bytes: [0] + content)
    }

    private mutating func appendLength(_ count: Int) {
        guard count >= 0x80 else {
            bytes.append(UInt8(count))
            return
        }
        var digits: [UInt8] = []
        var rest = count
        while rest > 0 {
            digits.insert(UInt8(rest & 0xFF), at: 0)
            rest >>= 8
        }
        bytes.append(0x80 | UInt8(digits.count))
        bytes += digits
    }
}
