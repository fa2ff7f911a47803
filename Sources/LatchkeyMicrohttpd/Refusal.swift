import CMicrohttpd
import CMicrohttpdShim
import LatchkeyWire

/// A request that is answered without calling the handler; the connection is closed afterwards.
enum Refusal: Error {
    /// A malformed request: 400, with the reason.
    case malformed(StaticString)
    /// Header fields that exceed the limits: 431.
    case headerTooLarge
    /// A body that exceeds the limit: 413.
    case bodyTooLarge
    /// A server that is stopping: 503.
    case stopping
    /// A rejection by the library itself, before the handler is called.
    case rejectedByLibrary(status: Int)

    private var status: Int {
        switch self {
        case .malformed: 400
        case .headerTooLarge: 431
        case .bodyTooLarge: 413
        case .stopping: 503
        case .rejectedByLibrary(let status): status
        }
    }

    private var reason: String {
        switch self {
        case .malformed(let reason): "\(reason)"
        case .headerTooLarge: "The request header is larger than this server accepts."
        case .bodyTooLarge: "The request body is larger than this server accepts."
        case .stopping: "The server is shutting down. Retry the request in a moment."
        case .rejectedByLibrary(414): "The request target is longer than this server accepts."
        case .rejectedByLibrary(431): Self.headerTooLarge.reason
        case .rejectedByLibrary(413): Self.bodyTooLarge.reason
        case .rejectedByLibrary(505): "This server supports HTTP/1.1 and HTTP/1.0 only."
        case .rejectedByLibrary(500...):
            "The server cannot read the request right now. Retry it in a moment."
        case .rejectedByLibrary: "The request is not a valid HTTP request."
        }
    }

    private var statusText: String {
        String(cString: MHD_get_reason_phrase_for(UInt32(status)))
    }

    /// The response, with the error envelope.
    var response: HTTP.Response {
        var body = JSONWriter(reserving: 256)
        body.object { envelope in
            envelope.name("error")
            envelope.object { error in
                error.name("code")
                error.integer(Int64(status))
                error.name("status")
                error.string(statusText)
                error.name("reason")
                error.string(reason)
                error.name("message")
                error.string("The server did not accept the request.")
            }
        }
        return HTTP.Response(status, headers: ["Content-Type": "application/json"], body: body.bytes)
    }

    /// The serialized response, for cases in which the library cannot send it: while it receives a body, and
    /// when it would send its own error page.
    var message: [UInt8] {
        let response = response
        let date = withUnsafeTemporaryAllocation(of: CChar.self, capacity: 32) { text in
            String(
                decoding: text[..<latchkey_http_date(text.baseAddress, text.count)].map(UInt8.init),
                as: UTF8.self
            )
        }
        let head = """
            HTTP/1.1 \(status) \(statusText)\r
            Date: \(date)\r
            Connection: close\r
            Content-Type: application/json\r
            Content-Length: \(response.body.count)\r
            \r

            """
        return Array(head.utf8) + response.body
    }
}
