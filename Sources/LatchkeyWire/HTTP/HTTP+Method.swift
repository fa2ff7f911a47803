extension HTTP {
    /// An HTTP request method (RFC 9110, section 9).
    public struct Method: RawRepresentable, Hashable, Sendable {
        /// The name of the method in upper case.
        public let rawValue: String

        /// Creates a method with the given name.
        ///
        /// - Parameter rawValue: The name of the method, which is case-sensitive.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// Retrieves a resource.
        public static let get = Method(rawValue: "GET")
        /// Like `GET`, but the response doesn't have a body.
        public static let head = Method(rawValue: "HEAD")
        /// Submits data to be processed.
        public static let post = Method(rawValue: "POST")
        /// Creates or replaces a resource.
        ///
        /// Repeating the request has no additional effect.
        public static let put = Method(rawValue: "PUT")
        /// Changes part of a resource.
        public static let patch = Method(rawValue: "PATCH")
        /// Deletes a resource.
        public static let delete = Method(rawValue: "DELETE")
        /// Asks for the methods of a resource.
        public static let options = Method(rawValue: "OPTIONS")
    }
}
