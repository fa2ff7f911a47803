/// Base64 with the URL-safe alphabet and without padding (RFC 4648, section 5).
package enum Base64URL {
    private static let alphabet = Array(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8
    )

    /// The value of each character in the alphabet; 255 for characters that are not in it.
    private static let values = alphabet.enumerated().reduce(into: [UInt8](repeating: 255, count: 256)) {
        values,
        letter in
        values[Int(letter.element)] = UInt8(letter.offset)
    }

    /// Encodes bytes, without padding.
    package static func encode(_ bytes: some Sequence<UInt8>) -> String {
        // Contiguous storage matters: iterating over a generic sequence would make encoding a token slower
        // than authenticating it.
        bytes.withContiguousStorageIfAvailable(text) ?? Array(bytes).withUnsafeBufferPointer(text)
    }

    /// Decodes a string; returns `nil` if a character, the length or an unused bit is invalid.
    ///
    /// Padding, white space and line breaks are not accepted, so each sequence of bytes has exactly one
    /// encoding.
    package static func decode(_ text: some StringProtocol) -> [UInt8]? {
        if let decoded = text.utf8.withContiguousStorageIfAvailable(bytes) { return decoded }
        return Array(text.utf8).withUnsafeBufferPointer(bytes)
    }

    /// Decodes a string in UTF-8; returns `nil` if a character, the length or an unused bit is invalid.
    package static func decode(_ text: ArraySlice<UInt8>) -> [UInt8]? {
        text.withUnsafeBufferPointer(bytes)
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
        let values = values
        let bytes = [UInt8](unsafeUninitializedCapacity: text.count * 3 / 4) { bytes, count in
            var buffer: UInt32 = 0
            var bits = 0
            for character in text {
                let value = values[Int(character)]
                guard value < 64 else {
                    isText = false
                    return
                }
                buffer = buffer << 6 | UInt32(value)
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
}
