/// The id that connects the log lines, audit events and response of a request.
package enum RequestID {
    /// The header field that contains the id in requests and responses.
    package static let field = "X-Request-Id"

    /// The maximum length of a request id, in bytes.
    private static let longest = 128

    /// The id of the request that the current task is handling, or `nil` if it isn't handling a request.
    @TaskLocal package static var current: String?

    /// Returns whether it is safe to use a string as an id in headers, logs and the database.
    ///
    /// A safe id consists of 1 to 128 characters, which can be ASCII letters, digits, `-`, `_`, `.` or `:`.
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
