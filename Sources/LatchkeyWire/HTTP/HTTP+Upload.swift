extension HTTP {
    /// A request body that is produced while it is sent.
    public struct Upload: Sendable {
        /// Sends a part of the body, and returns when the transport has accepted all of it.
        ///
        /// A slow connection therefore slows the producer down. Throws `CancellationError` when the exchange
        /// has ended.
        public typealias Write = @Sendable (_ part: [UInt8]) async throws -> Void

        /// The size in bytes, for `Content-Length`; `nil` sends the body with chunked transfer coding.
        ///
        /// A body that turns out to have another size fails the exchange.
        public let length: Int?

        /// Whether the body can be produced again, if the request has to be repeated with other credentials.
        public let isRepeatable: Bool

        /// Produces the body; called once for each attempt.
        ///
        /// The body is complete when it returns. When it throws, the exchange fails. The task that runs it is
        /// cancelled when the exchange ends.
        public let produce: @Sendable (_ write: @escaping Write) async throws -> Void

        /// Creates a body.
        ///
        /// - Parameters:
        ///   - length: The size in bytes; `nil` if it is not known.
        ///   - isRepeatable: Whether the closure can be called again for the same body.
        ///   - produce: Writes the parts of the body in order, and returns when the body is complete.
        public init(
            length: Int? = nil,
            isRepeatable: Bool = false,
            _ produce: @escaping @Sendable (_ write: @escaping Write) async throws -> Void
        ) {
            self.length = length
            self.isRepeatable = isRepeatable
            self.produce = produce
        }
    }
}
