/// The request target, copied before the library parses the original in place.
package struct RequestTarget {
    /// The path, percent-encoded as received.
    ///
    /// The path is empty if the target's form is not supported.
    package private(set) var path = ""

    /// The query, percent-encoded as received, or `nil` if the target has none.
    package private(set) var query: String?

    /// The host in an absolute-form target.
    ///
    /// This host overrides the `Host` field (RFC 9112, section 3.2.2).
    package private(set) var authority: String?

    /// Whether the target's form is supported and the target only contains allowed characters.
    package private(set) var isWellFormed = true

    /// The memory address at which the target begins in the library's buffer.
    ///
    /// The address is used later to inspect the surrounding bytes.
    let start: UInt

    /// The length of the target in bytes.
    let length: Int

    /// Copies and parses a NUL-terminated target and hides its query from the library.
    package init(_ text: UnsafePointer<CChar>) {
        start = UInt(bitPattern: text)
        var end = 0
        var question: Int?
        while text[end] != 0 {
            let byte = UInt8(bitPattern: text[end])
            if byte <= 0x20 || byte >= 0x7F { isWellFormed = false }
            if byte == UInt8(ascii: "?"), question == nil { question = end }
            end += 1
        }
        length = end
        let bytes = UnsafeRawBufferPointer(start: text, count: question ?? end)
        if bytes.first == UInt8(ascii: "/") {
            path = String(decoding: bytes, as: UTF8.self)
        } else {
            readAbsolute(String(decoding: bytes, as: UTF8.self))
        }
        if let question {
            let rest = UnsafeRawBufferPointer(start: text + question + 1, count: end - question - 1)
            query = String(decoding: rest, as: UTF8.self)
            Self.hideQuery(of: text, behind: question)
        }
    }

    /// Splits an absolute-form target (`http://host/path`).
    ///
    /// Targets in any other form are marked as malformed.
    private mutating func readAbsolute(_ text: String) {
        let lower = text.lowercased()
        guard let scheme = ["http://", "https://"].first(where: lower.hasPrefix) else {
            isWellFormed = false
            return
        }
        let rest = text.dropFirst(scheme.count)
        let slash = rest.firstIndex(of: "/") ?? rest.endIndex
        authority = String(rest[..<slash])
        path = slash == rest.endIndex ? "/" : String(rest[slash...])
        if slash == rest.startIndex { isWellFormed = false }
    }

    /// Truncates the query in the library's buffer.
    ///
    /// If the query weren't truncated, the library would parse it into arguments that we don't use. A few
    /// hundred arguments exhaust the connection's memory and leave the request without a response. The buffer
    /// is writable, and the library terminates the path in the same way.
    private static func hideQuery(of text: UnsafePointer<CChar>, behind question: Int) {
        UnsafeMutablePointer(mutating: text)[question + 1] = 0
    }
}
