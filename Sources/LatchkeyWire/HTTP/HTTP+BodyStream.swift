import LatchkeyModel

extension HTTP {
    /// A response body that is produced while it is sent, such as a stream of server-sent events.
    ///
    /// A server sends it with chunked transfer coding (RFC 9112, section 7.1), or closes the connection after
    /// it for an HTTP/1.0 client.
    package struct BodyStream: Sendable {
        /// Sends a part of the body, and returns when the server has passed all of it to the connection.
        ///
        /// A slow client therefore slows the producer down. Throws `CancellationError` if the connection was
        /// closed. A disconnect is detected only when the next part is sent, so a producer that waits for
        /// events should send a part periodically.
        package typealias Write = @Sendable (_ part: [UInt8]) async throws -> Void

        /// Produces the body; called at most once, when the header has been sent.
        ///
        /// The body is complete when it returns. When it throws, the connection is closed without the last
        /// chunk, so the client recognizes that the body is incomplete. The task that runs it is cancelled
        /// when the server begins to stop and when the connection is closed; parts can still be written while
        /// the server stops.
        package let produce: @Sendable (_ write: @escaping Write) async throws -> Void

        /// Whether the stream is open for a long time and mostly idle, such as a stream of events.
        ///
        /// A server may close the connection after such a body, and detects immediately that its client has
        /// disconnected.
        package let isLongLived: Bool

        /// Creates a body from the closure that produces it.
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
    /// Returns the response with its complete body, for callers in the same process.
    ///
    /// If the producer of a stream fails, the body consists of the parts that were written until then, as a
    /// client would have received them.
    package func withCompleteBody() async -> HTTP.Response {
        guard let stream else { return self }
        let parts = Locked<[UInt8]>([])
        try? await stream.produce { part in parts.withLock { $0 += part } }
        return HTTP.Response(status, headers: headers, body: parts.withLock { $0 })
    }
}
