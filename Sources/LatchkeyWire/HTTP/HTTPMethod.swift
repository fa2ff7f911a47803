/// An HTTP request method (RFC 9110, section 9).
public struct HTTPMethod: RawRepresentable, Hashable, Sendable {
    /// The name of the method, in upper case.
    public let rawValue: String

    /// Creates a method from its name.
    ///
    /// - Parameter rawValue: The name, case-sensitive.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// Retrieves a resource.
    public static let get = HTTPMethod(rawValue: "GET")
    /// Like `GET`, but without a response body.
    public static let head = HTTPMethod(rawValue: "HEAD")
    /// Submits data for processing.
    public static let post = HTTPMethod(rawValue: "POST")
    /// Creates or replaces a resource; idempotent.
    public static let put = HTTPMethod(rawValue: "PUT")
    /// Modifies a part of a resource.
    public static let patch = HTTPMethod(rawValue: "PATCH")
    /// Deletes a resource.
    public static let delete = HTTPMethod(rawValue: "DELETE")
}
