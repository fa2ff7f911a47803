import LatchkeyWire

/// An HTTP/1.1 message in a byte stream.
///
/// The length of the message's body is given by `Content-Length`.
///
/// A message without this header field has no body. Interim responses (1xx) are treated as separate messages.
/// Neither chunked encoding nor a response to `HEAD` with a `Content-Length` is supported.
struct HTTPMessage {
    /// The message's position in the stream, in bytes.
    var offset: Int
    /// The request line or status line, without its line break.
    var startLine: String
    /// The header fields, in order.
    ///
    /// Lines without a colon are ignored.
    var headers: HTTP.Headers
    /// The message's body, with the length given by `Content-Length`.
    var body: [UInt8]

    /// Parses all complete messages in a stream, in order.
    ///
    /// Anything after the last complete message is ignored.
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

    /// Parses the message at an offset, or returns `nil` if the message is incomplete.
    private static func read(_ stream: [UInt8], at offset: Int) -> HTTPMessage? {
        let rest = stream[offset...]
        let lineBreaks = Array("\r\n\r\n".utf8)
        guard
            let headEnd = rest.indices.first(where: { stream[$0...].starts(with: lineBreaks) })
        else { return nil }
        let lines = String(decoding: stream[offset..<headEnd], as: UTF8.self).split(separator: "\r\n")
        var headers: HTTP.Headers = [:]
        for line in lines.dropFirst() {
            guard let colon = line.firstIndex(of: ":") else { continue }
            let value = line[line.index(after: colon)...].drop { $0 == " " }
            headers.fields.append(HTTP.Headers.Field(name: String(line[..<colon]), value: String(value)))
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

    private init(offset: Int, startLine: String, headers: HTTP.Headers, body: [UInt8], end: Int) {
        self.offset = offset
        self.startLine = startLine
        self.headers = headers
        self.body = body
        self.end = end
    }
}
