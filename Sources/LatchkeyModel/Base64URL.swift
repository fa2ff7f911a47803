/// Base64 with the URL-safe alphabet and without padding (RFC 4648, section 5).
package enum Base64URL {
    private static let alphabet = Array(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8
    )

    /// Encodes bytes.
    package static func encode(_ bytes: some Sequence<UInt8>) -> String {
        // Element by element through a generic sequence, a token takes longer to encode than to authenticate.
        bytes.withContiguousStorageIfAvailable(text) ?? Array(bytes).withUnsafeBufferPointer(text)
    }

    /// Decodes a text; nothing when a character, the length or the unused bits are wrong.
    package static func decode(_ text: some StringProtocol) -> [UInt8]? {
        if let decoded = text.utf8.withContiguousStorageIfAvailable(bytes) { return decoded }
        return Array(text.utf8).withUnsafeBufferPointer(bytes)
    }

    private static func text(_ bytes: UnsafeBufferPointer<UInt8>) -> String {
        String(unsafeUninitializedCapacity: (bytes.count * 4 + 2) / 3) { text in
            alphabet.withUnsafeBufferPointer { alphabet in
                var count = 0
                var buffer: UInt32 = 0
                var bits = 0
                for byte in bytes {
                    buffer = buffer << 8 | UInt32(byte)
                    bits += 8
                    while bits >= 6 {
                        bits -= 6
                        text[count] = alphabet[Int(buffer >> bits & 63)]
                        count += 1
                    }
                }
                if bits > 0 {
                    text[count] = alphabet[Int(buffer << (6 - bits) & 63)]
                    count += 1
                }
                return count
            }
        }
    }

    private static func bytes(_ text: UnsafeBufferPointer<UInt8>) -> [UInt8]? {
        var isText = true
        let bytes = [UInt8](unsafeUninitializedCapacity: text.count * 3 / 4) { bytes, count in
            var buffer: UInt32 = 0
            var bits = 0
            for character in text {
                guard let value = value(of: character) else {
                    isText = false
                    return
                }
                buffer = buffer << 6 | value
                bits += 6
                if bits >= 8 {
                    bits -= 8
                    bytes[count] = UInt8(truncatingIfNeeded: buffer >> bits)
                    count += 1
                }
            }
            isText = bits < 6 && buffer & (1 << bits - 1) == 0
        }
        return isText ? bytes : nil
    }

    private static func value(of character: UInt8) -> UInt32? {
        switch character {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(character - UInt8(ascii: "A"))
        case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(character - UInt8(ascii: "a")) + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(character - UInt8(ascii: "0")) + 52
        case UInt8(ascii: "-"): 62
        case UInt8(ascii: "_"): 63
        default: nil
        }
    }
}
