/// Base64 encoding with the URL-safe alphabet and no padding (RFC 4648, section 5).
package enum Base64URL {
    private static let alphabet = Array(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8
    )

    /// Maps each byte to its six-bit value, or to 255 if the byte isn't in the alphabet.
    private static let values = alphabet.enumerated().reduce(into: [UInt8](repeating: 255, count: 256)) {
        values,
        letter in
        values[Int(letter.element)] = UInt8(letter.offset)
    }

    /// Encodes bytes as base64url text without padding.
    package static func encode(_ bytes: some Sequence<UInt8>) -> String {
        // Use contiguous storage where possible: iterating over a generic sequence would make encoding a
        // token slower than authenticating it.
        bytes.withContiguousStorageIfAvailable(text) ?? Array(bytes).withUnsafeBufferPointer(text)
    }

    /// Decodes a string.
    ///
    /// Returns `nil` if the string contains an invalid character, has an impossible length, or sets unused
    /// bits.
    ///
    /// Padding, white space and line breaks are rejected, so every byte sequence has exactly one valid
    /// encoding.
    package static func decode(_ text: some StringProtocol) -> [UInt8]? {
        if let decoded = text.utf8.withContiguousStorageIfAvailable(bytes) { return decoded }
        return Array(text.utf8).withUnsafeBufferPointer(bytes)
    }

    /// Decodes UTF-8 text.
    ///
    /// Returns `nil` if the string contains an invalid character, has an impossible length, or sets unused
    /// bits.
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
