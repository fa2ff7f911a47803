import LatchkeyWire

/// Rejects requests that contain the character U+0000.
///
/// PostgreSQL can't store U+0000 in text, and C treats it as the end of a string.
///
/// Requests are rejected before a handler is called, so the response doesn't depend on which database is
/// used.
package enum NullCharacter {
    /// The 400 error for a request that contains U+0000.
    static let refusal = ServerError.malformed(
        "The request contains the character U+0000, which is not allowed."
    )

    /// Returns whether the path or query of a request contains U+0000, either literally or percent-encoded.
    static func isNamed(in request: HTTP.Request) -> Bool {
        occurs(in: request.path.utf8) || (request.query.map { occurs(in: $0.utf8) } ?? false)
    }

    /// Returns whether a percent-encoded text contains U+0000, either literally or as `%00`.
    package static func occurs(in text: some Sequence<UInt8>) -> Bool {
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
