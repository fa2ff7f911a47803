extension HTTP {
    /// An HTTP request, used by the client's transports and by the server's handlers.
    public struct Request: Sendable {
        /// The method, in upper case.
        public var method: Method

        /// The path, percent-encoded, with a leading slash and without the query.
        public var path: String

        /// The query as sent, percent-encoded and without the question mark; `nil` if there is none.
        public var query: String?

        /// The header fields.
        public var headers: Headers

        /// The body; empty if there is none.
        public var body: [UInt8]

        /// Creates a request from all of its parts, none of which has a default.
        ///
        /// Like the public initializer, it does not validate the parts; ``RequestTarget`` validates them
        /// before a request is sent.
        package init(method: Method, path: String, query: String?, headers: Headers, body: [UInt8]) {
            self.method = method
            self.path = path
            self.query = query
            self.headers = headers
            self.body = body
        }

        /// Creates a request.
        ///
        /// - Parameters:
        ///   - method: The method, in upper case.
        ///   - path: The path, percent-encoded, with a leading slash.
        ///   - query: The encoded query, without the question mark.
        ///   - headers: The header fields.
        ///   - body: The body; empty if there is none.
        public init(
            _ method: Method,
            _ path: String,
            query: String? = nil,
            headers: Headers = [:],
            body: [UInt8] = []
        ) {
            self.method = method
            self.path = path
            self.query = query
            self.headers = headers
            self.body = body
        }
    }
}
