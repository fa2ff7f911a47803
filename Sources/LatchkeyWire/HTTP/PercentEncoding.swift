package import LatchkeyModel

/// Decodes percent escapes (RFC 3986, section 2.1).
package enum PercentEncoding {
    /// Decodes a path or one of its segments.
    ///
    /// Malformed escapes are kept unchanged.
    ///
    /// - Throws: `InvalidUTF8` with the position in the encoded text.
    package static func decode(_ text: String) throws(InvalidUTF8) -> String {
        guard text.utf8.contains(UInt8(ascii: "%")) else { return text }
        return try decode(Array(text.utf8)[...], spaceForPlus: false)
    }

    /// Decodes a slice of a text.
    ///
    /// Malformed escapes are kept unchanged.
    ///
    /// - Parameters:
    ///   - encoded: The slice. Its indices are the positions in the encoded text.
    ///   - spaceForPlus: Whether a plus sign is a space, as in forms.
    /// - Returns: The decoded text.
    /// - Throws: `InvalidUTF8` with the position in the encoded text.
    static func decode(
        _ encoded: ArraySlice<UInt8>,
        spaceForPlus: Bool
    ) throws(InvalidUTF8) -> String {
        var decoded: [UInt8] = []
        decoded.reserveCapacity(encoded.count)
        var index = encoded.startIndex
        while index < encoded.endIndex {
            let (byte, length) = unit(at: index, of: encoded)
            decoded.append(spaceForPlus && encoded[index] == UInt8(ascii: "+") ? UInt8(ascii: " ") : byte)
            index += length
        }
        do {
            return try String(utf8: decoded)
        } catch {
            var position = encoded.startIndex
            for _ in 0..<error.offset { position += unit(at: position, of: encoded).length }
            throw InvalidUTF8(offset: position)
        }
    }

    /// Returns whether each percent sign is followed by two hexadecimal digits.
    static func isWellFormed(_ encoded: ArraySlice<UInt8>) -> Bool {
        encoded.indices.allSatisfy {
            encoded[$0] != UInt8(ascii: "%") || unit(at: $0, of: encoded).length == 3
        }
    }

    /// Returns the byte that is encoded at an index, and the length of its encoding.
    private static func unit(at index: Int, of encoded: ArraySlice<UInt8>) -> (byte: UInt8, length: Int) {
        guard
            encoded[index] == UInt8(ascii: "%"), index + 2 < encoded.endIndex,
            let high = value(of: encoded[index + 1]), let low = value(of: encoded[index + 2])
        else { return (encoded[index], 1) }
        return (high << 4 | low, 3)
    }

    private static func value(of digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
        case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
        default: nil
        }
    }
}
