import LatchkeyWire

/// An HTTP/1.1 message as it lies in a stream; bodies end by their Content-Length.
struct HTTPMessage {
    /// Where in the stream the message begins.
    var offset: Int
    var startLine: String
    var headers: HTTPHeaders
    var body: [UInt8]

    /// The whole messages in a stream, in order.
    static func all(in stream: [UInt8]) -> [HTTPMessage] {
        var messages: [HTTPMessage] = []
        var offset = 0
        while let message = read(stream, at: offset) {
            messages.append(message)
            offset = message.end
        }
        return messages
    }

    private var end = 0

    private static func read(_ stream: [UInt8], at offset: Int) -> HTTPMessage? {
        let rest = stream[offset...]
        let lineBreaks = Array("\r\n\r\n".utf8)
        guard
            let headEnd = rest.indices.first(where: { stream[$0...].starts(with: lineBreaks) })
        else { return nil }
        let lines = String(decoding: stream[offset..<headEnd], as: UTF8.self).split(separator: "\r\n")
        var headers: HTTPHeaders = [:]
        for line in lines.dropFirst() {
            guard let colon = line.firstIndex(of: ":") else { continue }
            let value = line[line.index(after: colon)...].drop { $0 == " " }
            headers.fields.append(HTTPHeaders.Field(name: String(line[..<colon]), value: String(value)))
        }
        let bodyStart = headEnd + lineBreaks.count
        let length = headers["Content-Length"].flatMap { Int($0) } ?? 0
        guard let startLine = lines.first, bodyStart + length <= stream.count else { return nil }
        return HTTPMessage(
            offset: offset,
            startLine: String(startLine),
            headers: headers,
            body: Array(stream[bodyStart..<(bodyStart + length)]),
            end: bodyStart + length
        )
    }

    private init(offset: Int, startLine: String, headers: HTTPHeaders, body: [UInt8], end: Int) {
        self.offset = offset
        self.startLine = startLine
        self.headers = headers
        self.body = body
        self.end = end
    }
}
