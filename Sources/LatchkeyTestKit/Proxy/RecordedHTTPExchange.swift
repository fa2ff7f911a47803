package import LatchkeyWire

/// A request and its response, as sent over a socket.
package struct RecordedHTTPExchange: Sendable {
    /// The request, as the proxy received it from the client.
    ///
    /// The path and query are encoded as they were sent.
    package let request: HTTP.Request
    /// The response, as the proxy received it from the server.
    package let answer: HTTP.Response

    /// Parses the request line and the status line.
    ///
    /// If the status line can't be parsed, the status is 0.
    init(request: HTTPMessage, answer: HTTPMessage) {
        let words = request.startLine.split(separator: " ").map(String.init)
        let target = (words.count > 1 ? words[1] : "").split(separator: "?", maxSplits: 1).map(String.init)
        self.request = HTTP.Request(
            HTTP.Method(rawValue: words.first ?? ""),
            target.first ?? "",
            query: target.count > 1 ? target[1] : nil,
            headers: request.headers,
            body: request.body
        )
        let status = answer.startLine.split(separator: " ").dropFirst().first.flatMap { Int($0) }
        self.answer = HTTP.Response(status ?? 0, headers: answer.headers, body: answer.body)
    }
}
