import LatchkeyModel

extension HTTP {
    /// An HTTP request.
    ///
    /// Both the client's transports and the server's handlers use this type.
    public struct Request: Sendable {
        /// The request method, in upper case.
        public var method: Method

        /// The percent-encoded path with a leading slash.
        ///
        /// The path doesn't include the query.
        public var path: String

        /// The percent-encoded query without the question mark, or `nil` if there is none.
        public var query: String?

        /// The header fields of the request.
        public var headers: Headers

        /// The request body, or an empty array if there is none.
        public var body: [UInt8]

        /// Creates a request from a method, path, query, headers and body.
        ///
        /// Like the public initializer, this initializer doesn't validate anything. ``RequestTarget``
        /// validates a request before it is sent.
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
        ///   - method: The request method, in upper case.
        ///   - path: The percent-encoded path with a leading slash.
        ///   - query: The percent-encoded query without the question mark, or `nil` if there is none.
        ///   - headers: The header fields.
        ///   - body: The request body, or an empty array if there is none.
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

extension HTTP.Request: CustomReflectable {
    /// A mirror for printing, without the query, the values of header fields, and the body.
    public var customMirror: Mirror {
        Mirror(
            self,
            children: [
                "method": method.rawValue, "path": path, "query": query.map { _ in Masked() } as Any,
                "headers": headers, "body": "\(body.count) bytes",
            ],
            displayStyle: .struct
        )
    }
}
