extension HTTP {
    /// An HTTP request method (RFC 9110, section 9).
    public struct Method: RawRepresentable, Hashable, Sendable {
        /// The name of the method, in upper case.
        public let rawValue: String

        /// Creates a method from its name.
        ///
        /// - Parameter rawValue: The name, case-sensitive.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// Retrieves a resource.
        public static let get = Method(rawValue: "GET")
        /// Like `GET`, but without a response body.
        public static let head = Method(rawValue: "HEAD")
        /// Submits data for processing.
        public static let post = Method(rawValue: "POST")
        /// Creates or replaces a resource; idempotent.
        public static let put = Method(rawValue: "PUT")
        /// Modifies a part of a resource.
        public static let patch = Method(rawValue: "PATCH")
        /// Deletes a resource.
        public static let delete = Method(rawValue: "DELETE")
    }
}
