/// The target of a request line, copied before the library takes it apart.
package struct RequestTarget {
    /// The path, percent-encoded as received; empty in a target of another form.
    package private(set) var path = ""

    /// The query as received.
    package private(set) var query: String?

    /// The host that an absolute target names; it outweighs the `Host` field (RFC 9112, section 3.2.2).
    package private(set) var authority: String?

    /// Whether only characters occur that can stand in a target.
    package private(set) var isWellFormed = true

    /// Where the target stood in the library's buffer, to find the bytes around it again.
    let start: UInt

    /// Its length in bytes.
    let length: Int

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

    /// Ends the query where it begins, in the library's own buffer.
    ///
    /// The library would split it into arguments that nobody asks for, and with a few hundred of them runs out of
    /// memory in a way that leaves the connection without an answer. The buffer is writable: the library itself
    /// ends the path in it in the same manner.
    private static func hideQuery(of text: UnsafePointer<CChar>, behind question: Int) {
        UnsafeMutablePointer(mutating: text)[question + 1] = 0
    }
}
