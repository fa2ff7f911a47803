import CMicrohttpd
import CMicrohttpdShim
import LatchkeyWire

/// A reason for rejecting a request before the handler is called.
///
/// The connection is closed afterwards.
enum Refusal: Error {
    /// The request is malformed. The response has the status code 400 and the given reason.
    case malformed(StaticString)
    /// The header fields exceed the limits. The response has the status code 431.
    case headerTooLarge
    /// The body exceeds the limit. The response has the status code 413.
    case bodyTooLarge
    /// The server is stopping. The response has the status code 503.
    case stopping
    /// The library rejected the request with the given status code.
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

    /// The response to send.
    ///
    /// The response body is an error envelope.
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

    /// The current time as an HTTP date (RFC 9110, section 5.6.7).
    static var date: String {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 32) { text in
            String(
                decoding: text[..<latchkey_http_date(text.baseAddress, text.count)].map(UInt8.init),
                as: UTF8.self
            )
        }
    }

    /// Returns the serialized response, which has no body if the request's method is `HEAD`.
    ///
    /// We send this text ourselves when libmicrohttpd can't send a response because it is receiving a body,
    /// or when it would send its own error page. In the latter case, the method may be unknown.
    func message(for method: HTTP.Method?) -> [UInt8] {
        let response = response
        let head = """
            HTTP/1.1 \(status) \(statusText)\r
            Date: \(Self.date)\r
            Connection: close\r
            Content-Type: application/json\r
            Content-Length: \(response.body.count)\r
            \r

            """
        return Array(head.utf8) + (method == .head ? [] : response.body)
    }
}
