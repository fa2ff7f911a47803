extension HTTP {
    /// A request body that is generated while it is being sent.
    public struct Upload: Sendable {
        /// Sends part of the body, and waits until the transport has accepted all bytes.
        ///
        /// A slow connection also slows down the producer. Throws `CancellationError` if the exchange
        /// has ended.
        public typealias Write = @Sendable (_ part: [UInt8]) async throws -> Void

        /// The size of the body in bytes, for `Content-Length`.
        ///
        /// If `nil`, the body is sent with chunked transfer coding.
        ///
        /// If the actual size of the body is different, the exchange fails.
        public let length: Int?

        /// Whether the body can be produced more than once.
        ///
        /// A repeatable body is needed if the request has to be sent again with different credentials.
        public let isRepeatable: Bool

        /// Produces the body.
        ///
        /// Called once for each attempt to send the request.
        ///
        /// When this closure returns, the body is complete. If the closure throws an error, the exchange
        /// fails with a ``TransportError`` whose ``TransportError/cause`` is that error. The closure's task
        /// is cancelled when the exchange ends.
        public let produce: @Sendable (_ write: @escaping Write) async throws -> Void

        /// Creates a request body.
        ///
        /// - Parameters:
        ///   - length: The size of the body in bytes, or `nil` if it isn't known.
        ///   - isRepeatable: Whether the closure can be called more than once.
        ///   - produce: Writes the chunks of the body, in order, and returns when the body is complete.
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
