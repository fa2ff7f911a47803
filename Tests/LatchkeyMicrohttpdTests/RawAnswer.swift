/// The first response in the bytes that a server has sent.
struct RawAnswer {
    let status: Int
    let fields: [(name: String, value: String)]
    let body: String
    /// The bytes after the announced length of the body.
    let rest: String
    /// Whether the body has the announced length.
    let isComplete: Bool

    init?(_ text: String, toHead: Bool = false) {
        guard text.hasPrefix("HTTP/1.1 "), let end = text.range(of: "\r\n\r\n") else { return nil }
        let lines = text[..<end.lowerBound].split(separator: "\r\n")
        guard let status = Int(text.dropFirst(9).prefix(3)) else { return nil }
        self.status = status
        fields = lines.dropFirst().compactMap { line in
            guard let colon = line.firstIndex(of: ":") else { return nil }
            return (line[..<colon].lowercased(), String(line[line.index(after: colon)...].drop { $0 == " " }))
        }
        let length = toHead ? 0 : fields.first { $0.name == "content-length" }.flatMap { Int($0.value) } ?? 0
        let after = Array(text[end.upperBound...].utf8)
        isComplete = after.count >= length
        body = String(decoding: after.prefix(length), as: UTF8.self)
        rest = String(decoding: after.dropFirst(length), as: UTF8.self)
    }

    subscript(name: String) -> String? {
        fields.first { $0.name == name }?.value
    }

    /// Whether the body is an error envelope with the response's status code.
    var isEnvelope: Bool {
        self["content-type"] == "application/json"
            && body.hasPrefix("{\"error\":{\"code\":\(status),\"status\":\"")
    }
}

extension String {
    fileprivate func range(of part: String) -> Range<String.Index>? {
        var start = utf8.startIndex
        let wanted = Array(part.utf8)
        while start != utf8.endIndex {
            if utf8[start...].starts(with: wanted) {
                return start..<utf8.index(start, offsetBy: wanted.count)
            }
            start = utf8.index(after: start)
        }
        return nil
    }
}
