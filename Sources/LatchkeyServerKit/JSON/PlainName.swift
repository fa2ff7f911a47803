/// A name from a request that is safe to include in error messages.
///
/// A plain name consists of 1 to 64 ASCII letters, digits, `_`, `-` and `.`, so it can't be an e-mail
/// address, a URL or markup.
package struct PlainName: CustomStringConvertible {
    private static let limit = 64

    /// The name, which is safe to include in error messages.
    package let description: String

    /// Wraps a name.
    ///
    /// The result is `nil` if the text is empty, too long or contains any other character.
    package init?(_ text: String) {
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
