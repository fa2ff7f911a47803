/// A name from a request that messages may quote: ASCII letters, digits, `_`, `-` and `.`, which spell no address.
struct PlainName: CustomStringConvertible {
    private static let limit = 64

    let description: String

    init?(_ text: String) {
        let isPlain = text.utf8.allSatisfy { byte in
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
            default: byte == UInt8(ascii: "_") || byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".")
            }
        }
        guard isPlain, (1...Self.limit).contains(text.utf8.count) else { return nil }
        description = text
    }
}
