import CMicrohttpd
import CMicrohttpdShim
import LatchkeyWire

extension Daemon {
    /// Sends a response.
    ///
    /// If the body is long-lived, the socket is taken over from the library. The response to a `HEAD` request
    /// has no body, so the library sends it.
    func send(_ response: HTTP.Response, on connection: Connection, handle: OpaquePointer) -> MHD_Result {
        guard
            let stream = response.stream, stream.isLongLived,
            connection.incoming.request?.method != .head
        else {
            return connection.queue(response, on: handle)
        }
        let isChunked = !connection.incoming.isVersion10
        // The library does not use the socket while the connection is suspended.
        connection.suspend()
        let isTaken = streams.take(
            connection.descriptor,
            of: connection,
            head: Self.head(of: response, isChunked: isChunked),
            stream: stream,
            isChunked: isChunked
        )
        connection.isDetached = isTaken
        // If no file descriptor is available for the stream, the next call sends a 503 response instead.
        if !isTaken { connection.replaceAnswer(by: Refusal.rejectedByLibrary(status: 503).response) }
        connection.resume()
        return .YES
    }

    /// Returns the status line and header fields for a response that is sent chunked or until the connection
    /// closes.
    private static func head(of response: HTTP.Response, isChunked: Bool) -> [UInt8] {
        let status = (200...599).contains(response.status) ? response.status : 500
        let phrase = String(cString: MHD_get_reason_phrase_for(UInt32(status)))
        var head = "HTTP/1.1 \(status) \(phrase)\r\nDate: \(Refusal.date)\r\nConnection: close\r\n"
        if isChunked { head += "Transfer-Encoding: chunked\r\n" }
        for field in response.headers.fields where isSendable(field) {
            head += "\(field.name): \(field.value)\r\n"
        }
        return Array((head + "\r\n").utf8)
    }

    /// Returns whether a field leaves the framing of the response unchanged.
    private static func isSendable(_ field: HTTP.Headers.Field) -> Bool {
        let own = ["connection", "content-length", "transfer-encoding", "date"]
        return !field.name.isEmpty && !own.contains { field.name.equalsIgnoringASCIICase($0) }
            && field.name.utf8.allSatisfy { $0 > 0x20 && $0 != 0x3A && $0 < 0x7F }
            && field.value.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }
    }
}
