extension HTTP {
    /// An HTTP response, used by the client's transports and by the server's handlers.
    public struct Response: Sendable {
        /// The status code.
        public var status: Int

        /// The header fields.
        public var headers: Headers

        /// The body; empty if there is none.
        public var body: [UInt8]

        /// The body, if it is produced while it is sent; ``body`` is then ignored.
        package var stream: BodyStream?

        /// Creates a response.
        ///
        /// - Parameters:
        ///   - status: The status code.
        ///   - headers: The header fields.
        ///   - body: The body; empty if there is none.
        public init(_ status: Int, headers: Headers = [:], body: [UInt8] = []) {
            self.status = status
            self.headers = headers
            self.body = body
        }
    }
}
