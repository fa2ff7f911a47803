/// The target of a request, copied before the library parses the original in place.
package struct RequestTarget {
    /// The path, percent-encoded as received; empty if the target does not have a supported form.
    package private(set) var path = ""

    /// The query, percent-encoded as received; `nil` if the target has none.
    package private(set) var query: String?

    /// The host of a target in absolute form, which overrides the `Host` field (RFC 9112, section 3.2.2).
    package private(set) var authority: String?

    /// Whether the target has a supported form and contains only allowed characters.
    package private(set) var isWellFormed = true

    /// The address of the target in the library's buffer, used later to inspect the bytes around it.
    let start: UInt

    /// The length of the target in bytes.
    let length: Int

    /// Copies and parses a NUL-terminated target, and hides its query from the library.
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

    /// Splits a target in absolute form (`http://host/path`), and marks any other form as not well-formed.
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
    /// The library would parse the query into unused arguments. A few hundred arguments exhaust its memory in
    /// a way that leaves the connection without a response. The buffer is writable, because the library
    /// itself terminates the path in the same way.
    private static func hideQuery(of text: UnsafePointer<CChar>, behind question: Int) {
        UnsafeMutablePointer(mutating: text)[question + 1] = 0
    }
}
