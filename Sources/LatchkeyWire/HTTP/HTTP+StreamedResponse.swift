extension HTTP {
    /// A response whose body arrives in parts.
    public struct StreamedResponse: Sendable {
        /// The status code.
        public let status: Int

        /// The header fields.
        public let headers: Headers

        /// The parts of the body, which can be iterated once.
        public let body: ResponseBody

        /// Creates a response.
        ///
        /// - Parameters:
        ///   - status: The status code.
        ///   - headers: The header fields.
        ///   - body: The parts of the body.
        public init(_ status: Int, headers: Headers, body: ResponseBody) {
            self.status = status
            self.headers = headers
            self.body = body
        }
    }

    /// The parts of a response body, in order.
    ///
    /// The transport receives no more than a few parts ahead of the consumer. When the last copy of the body
    /// is released, or the consuming task is cancelled, the exchange is cancelled. Iterate the body only once.
    public struct ResponseBody: AsyncSequence, Sendable {
        /// A part of the body, which is not empty.
        public typealias Element = [UInt8]

        /// The source of the parts.
        ///
        /// The source cancels the exchange when it is deinitialized.
        public protocol Source: AnyObject, Sendable {
            /// Waits for the next part.
            ///
            /// - Returns: The part; `nil` at the end of the body.
            /// - Throws: ``LatchkeyWire/TransportError`` if the body is incomplete.
            func next() async throws(TransportError) -> [UInt8]?
        }

        private let source: any Source

        /// Creates a body from its source.
        ///
        /// - Parameter source: The source, which this body retains.
        public init(_ source: any Source) {
            self.source = source
        }

        /// Creates the iterator; all iterators of a body share its parts.
        public func makeAsyncIterator() -> Iterator {
            Iterator(source: source)
        }

        /// The iterator of a body.
        public struct Iterator: AsyncIteratorProtocol, Sendable {
            fileprivate let source: any Source

            /// Waits for the next part of the body.
            ///
            /// - Returns: The part; `nil` at the end.
            /// - Throws: ``LatchkeyWire/TransportError`` if the body is incomplete, for instance because the
            ///   connection was lost or a limit was exceeded.
            public mutating func next() async throws -> [UInt8]? {
                try await source.next()
            }
        }

        /// Collects all parts.
        ///
        /// - Parameter limit: The maximum size in bytes.
        /// - Returns: The complete body.
        /// - Throws: ``LatchkeyWire/TransportError``, with the code `invalidAnswer` for a larger body.
        public func collected(upTo limit: Int) async throws(TransportError) -> [UInt8] {
            var body: [UInt8] = []
            while let part = try await source.next() {
                guard body.count + part.count <= limit else {
                    throw TransportError(
                        .invalidAnswer,
                        message: "The response is larger than \(limit) bytes."
                    )
                }
                body += part
            }
            return body
        }
    }
}
