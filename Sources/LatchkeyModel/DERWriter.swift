/// A writer of the Distinguished Encoding Rules (ITU-T X.690) for the few structures that a client creates.
package struct DERWriter {
    /// The tags of the types, with the bit for constructed types.
    package enum Tag: UInt8, Sendable {
        case integer = 0x02
        case bitString = 0x03
        case objectIdentifier = 0x06
        case utf8String = 0x0C
        case sequence = 0x30
        case set = 0x31
        /// The context-specific tag 0 of a constructed type.
        case context0 = 0xA0
    }

    /// The encoding so far.
    package private(set) var bytes: [UInt8] = []

    /// Creates an empty writer.
    package init() {}

    /// Appends a value of a constructed type; the closure writes its content.
    package mutating func append(_ tag: Tag, content: (inout DERWriter) -> Void) {
        var inner = DERWriter()
        content(&inner)
        append(tag, bytes: inner.bytes)
    }

    /// Appends a value with its encoded content.
    package mutating func append(_ tag: Tag, bytes content: some Collection<UInt8>) {
        bytes.append(tag.rawValue)
        appendLength(content.count)
        bytes += content
    }

    /// Appends a value that is encoded already, with its tag and length.
    package mutating func append(encoded value: some Collection<UInt8>) {
        bytes += value
    }

    /// Appends an integer that is not negative.
    ///
    /// - Parameter digits: The bytes of the number, most significant first; leading zeros are removed.
    package mutating func append(unsigned digits: some Collection<UInt8>) {
        let significant = digits.drop { $0 == 0 }
        // A set leading bit would make the integer negative, and an integer has at least one byte.
        let isPadded = significant.first.map { $0 >= 0x80 } ?? true
        append(.integer, bytes: (isPadded ? [0] : []) + significant)
    }

    /// Appends a bit string of whole bytes.
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
