import LatchkeyModel

extension HTTP {
    /// A response body that is generated while it is being sent, such as a stream of server-sent events.
    ///
    /// Servers send the body with chunked transfer coding (RFC 9112, section 7.1). If the client uses
    /// HTTP/1.0, the server closes the connection at the end of the body instead.
    package struct BodyStream: Sendable {
        /// Sends part of the body.
        ///
        /// Returns when the server has written all bytes to the connection.
        ///
        /// A slow client also slows down the producer. Throws `CancellationError` if the connection has
        /// been closed. A closed connection is only noticed when something is sent, so producers that wait
        /// for events should send something regularly.
        package typealias Write = @Sendable (_ part: [UInt8]) async throws -> Void

        /// Produces the body.
        ///
        /// Called at most once, after the response header has been sent.
        ///
        /// When this closure returns, the body is complete. If the closure throws an error, the connection is
        /// closed without sending the last chunk, so that the client can tell that the body is incomplete.
        /// The closure's task is cancelled when the connection is closed and when the server starts to shut
        /// down. The closure can still write to the body while the server is shutting down.
        package let produce: @Sendable (_ write: @escaping Write) async throws -> Void

        /// Whether the stream stays open for a long time and is mostly idle, like an event stream.
        ///
        /// For a long-lived stream, the server notices immediately when the client disconnects, and may close
        /// the connection after the body.
        package let isLongLived: Bool

        /// Creates a body that is produced by a closure.
        package init(
            isLongLived: Bool = false,
            _ produce: @escaping @Sendable (_ write: @escaping Write) async throws -> Void
        ) {
            self.isLongLived = isLongLived
            self.produce = produce
        }
    }
}

extension HTTP.Response {
    /// Returns the response as the client of an HTTP server would receive it.
    ///
    /// Use this method if the caller is in the same process.
    ///
    /// A streamed body is collected. The response to a `HEAD` request has no body, but a `Content-Length` if
    /// the length of the body is known (RFC 9110, section 8.6).
    ///
    /// If producing the body fails, the returned body consists of everything written up to that point, just
    /// like the body that a client would have received.
    ///
    /// - Parameter method: The method of the request.
    /// - Returns: A response without a stream.
    package func received(for method: HTTP.Method) async -> HTTP.Response {
        guard method != .head else {
            var head = HTTP.Response(status, headers: headers)
            if stream == nil, status != 204 { head.headers["Content-Length"] = String(body.count) }
            return head
        }
        guard let stream else { return self }
        let parts = Locked<[UInt8]>([])
        try? await stream.produce { part in parts.withLock { $0 += part } }
        return HTTP.Response(status, headers: headers, body: parts.withLock { $0 })
    }
}
