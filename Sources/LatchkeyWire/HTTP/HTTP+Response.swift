import LatchkeyModel

extension HTTP {
    /// An HTTP response.
    ///
    /// Both the client's transports and the server's handlers use this type.
    public struct Response: Sendable {
        /// The HTTP status code.
        public var status: Int

        /// The header fields of the response.
        public var headers: Headers

        /// The response body, or an empty array if there is none.
        public var body: [UInt8]

        /// A body that is generated while it is being sent.
        ///
        /// If this is set, ``body`` is ignored.
        package var stream: BodyStream?

        /// Creates a response.
        ///
        /// - Parameters:
        ///   - status: The HTTP status code.
        ///   - headers: The header fields.
        ///   - body: The response body, or an empty array if there is none.
        public init(_ status: Int, headers: Headers = [:], body: [UInt8] = []) {
            self.status = status
            self.headers = headers
            self.body = body
        }
    }
}

extension HTTP.Response: CustomReflectable {
    /// A mirror for printing, without the values of header fields and the body.
    public var customMirror: Mirror {
        Mirror(
            self,
            children: ["status": status, "headers": headers, "body": "\(body.count) bytes"],
            displayStyle: .struct
        )
    }
}
