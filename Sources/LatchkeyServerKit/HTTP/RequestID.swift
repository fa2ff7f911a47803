/// The id of a request, which correlates log lines, audit events and responses.
package enum RequestID {
    /// The header field that carries the id in requests and responses.
    package static let field = "X-Request-Id"

    /// The maximum length of an id, in bytes.
    private static let longest = 128

    /// The id of the request that the current task handles; `nil` outside of requests.
    @TaskLocal package static var current: String?

    /// Returns whether a string is safe as an id in headers, logs and the database.
    ///
    /// A safe id consists of 1 to 128 ASCII letters, digits, `-`, `_`, `.` or `:`.
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
