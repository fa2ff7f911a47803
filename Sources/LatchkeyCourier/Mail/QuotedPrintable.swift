/// Quoted-printable encoding (RFC 2045, section 6.7).
///
/// The encoded text consists of ASCII lines that mail servers don't modify.
enum QuotedPrintable {
    /// The maximum line length in bytes, not counting the CRLF.
    private static let lineLimit = 76
    private static let digits = Array("0123456789ABCDEF".utf8)

    /// Encodes a string as UTF-8 and converts all line breaks to CRLF.
    static func encode(_ text: String) -> [UInt8] {
        var encoded: [UInt8] = []
        let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        for (index, line) in lines.enumerated() {
            if index > 0 { encoded += [13, 10] }
            encode(Array(line.utf8), onto: &encoded)
        }
        return encoded
    }

    /// Appends a line without its line break.
    ///
    /// Soft line breaks are inserted to keep all lines within 76 bytes.
    private static func encode(_ line: [UInt8], onto encoded: inout [UInt8]) {
        var column = 0
        for (index, byte) in line.enumerated() {
            let isLast = index + 1 == line.count
            var piece = piece(byte, column: column, isLast: isLast)
            // Leave room for a soft line break.
            if column + piece.count > lineLimit - 1 {
                encoded += [61, 13, 10]
                column = 0
                piece = self.piece(byte, column: column, isLast: isLast)
            }
            encoded += piece
            column += piece.count
        }
    }

    /// Encodes a single byte, either as itself or as `=` followed by two hexadecimal digits.
    private static func piece(_ byte: UInt8, column: Int, isLast: Bool) -> [UInt8] {
        let isLiteral =
            switch byte {
            case UInt8(ascii: "="): false
            // White space at the end of a line may be stripped in transit.
            case 0x20, 0x09: !isLast
            // Mail servers give a special meaning to "." and "From " at the beginning of a line.
            case UInt8(ascii: "."), UInt8(ascii: "F"): column > 0
            default: (0x21...0x7E).contains(byte)
            }
        return isLiteral ? [byte] : [UInt8(ascii: "="), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
    }
}
