import LatchkeyWire

/// U+0000, which PostgreSQL keeps in no text, and which ends texts for much that is written in C.
///
/// It is refused where a request is read, so that every database answers alike.
enum NullCharacter {
    static let refusal = ServerError.malformed(
        "The request holds the character U+0000, which is not taken here."
    )

    /// Whether a request names it in its path or query.
    static func isNamed(in request: HTTPRequest) -> Bool {
        occurs(in: request.path.utf8) || (request.query.map { occurs(in: $0.utf8) } ?? false)
    }

    /// Whether it occurs in a text with percent escapes, as itself or escaped.
    static func occurs(in text: some Sequence<UInt8>) -> Bool {
        var zeros = -1
        for byte in text {
            switch byte {
            case 0: return true
            case UInt8(ascii: "%"): zeros = 0
            case UInt8(ascii: "0") where zeros == 1: return true
            case UInt8(ascii: "0") where zeros == 0: zeros = 1
            default: zeros = -1
            }
        }
        return false
    }
}
