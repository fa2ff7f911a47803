/// What a request is called, so that what was written because of it can be found again.
package enum RequestID {
    /// The header field that carries it.
    package static let field = "X-Request-Id"

    private static let longest = 128

    /// The id of the request that the current task works for.
    @TaskLocal package static var current: String?

    /// Whether a text can stand for a request wherever one is written: in a header, a log, a database.
    package static func isWellFormed(_ text: String) -> Bool {
        (1...longest).contains(text.utf8.count) && text.utf8.allSatisfy(isTokenByte)
    }

    private static func isTokenByte(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        case UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."), UInt8(ascii: ":"): true
        default: false
        }
    }
}
