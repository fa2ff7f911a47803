extension HTTP {
    /// A response whose body is received in chunks.
    public struct StreamedResponse: Sendable {
        /// The HTTP status code.
        public let status: Int

        /// The header fields of the response.
        public let headers: Headers

        /// The chunks of the body.
        ///
        /// The chunks can be iterated only once.
        public let body: ResponseBody

        /// Creates a response.
        ///
        /// - Parameters:
        ///   - status: The HTTP status code.
        ///   - headers: The header fields.
        ///   - body: The chunks of the body.
        public init(_ status: Int, headers: Headers, body: ResponseBody) {
            self.status = status
            self.headers = headers
            self.body = body
        }
    }

    /// A response body as a sequence of chunks.
    ///
    /// The transport receives only a few chunks ahead of the consumer. If the last copy of the body is
    /// released or the consuming task is cancelled, the exchange is cancelled. The body can be iterated only
    /// once.
    public struct ResponseBody: AsyncSequence, Sendable {
        /// A chunk of the body.
        ///
        /// Chunks are never empty.
        public typealias Element = [UInt8]

        /// Provides the chunks of a body.
        ///
        /// When the source is deinitialized, it must cancel the exchange.
        public protocol Source: AnyObject, Sendable {
            /// Waits for the next chunk.
            ///
            /// - Returns: The chunk, or `nil` at the end of the body.
            /// - Throws: ``LatchkeyWire/TransportError`` if the body is incomplete.
            func next() async throws(TransportError) -> [UInt8]?
        }

        private let source: any Source

        /// Creates a body that reads from the given source.
        ///
        /// - Parameter source: The source of the chunks. The body keeps a strong reference to its source.
        public init(_ source: any Source) {
            self.source = source
        }

        /// Creates an iterator.
        ///
        /// All iterators of a body consume the same chunks.
        public func makeAsyncIterator() -> Iterator {
            Iterator(source: source)
        }

        /// Iterates over the chunks of a body.
        public struct Iterator: AsyncIteratorProtocol, Sendable {
            fileprivate let source: any Source

            /// Waits for the next chunk.
            ///
            /// - Returns: The chunk, or `nil` at the end of the body.
            /// - Throws: ``LatchkeyWire/TransportError`` if the body is incomplete, for example because the
            ///   connection was lost or a limit was exceeded.
            public mutating func next() async throws -> [UInt8]? {
                try await source.next()
            }
        }

        /// Collects all chunks.
        ///
        /// - Parameter limit: The maximum size of the body in bytes.
        /// - Returns: The complete body.
        /// - Throws: ``LatchkeyWire/TransportError``, with the code `invalidResponse` if the body is too large.
        public func collected(upTo limit: Int) async throws(TransportError) -> [UInt8] {
            var body: [UInt8] = []
            while let part = try await source.next() {
                guard body.count + part.count <= limit else {
                    throw TransportError(
                        .invalidResponse,
                        message: "The response is larger than \(limit) bytes."
                    )
                }
                body += part
            }
            return body
        }
    }
}
