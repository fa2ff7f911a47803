/// The method of a request (RFC 9110, section 9).
public struct HTTPMethod: RawRepresentable, Hashable, Sendable {
    /// The method's name, in upper case.
    public let rawValue: String

    /// Names a method.
    ///
    /// - Parameter rawValue: The name, case-sensitive.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// Reads something.
    public static let get = HTTPMethod(rawValue: "GET")
    /// As `GET`, without the body of the answer.
    public static let head = HTTPMethod(rawValue: "HEAD")
    /// Submits something.
    public static let post = HTTPMethod(rawValue: "POST")
    /// Puts something in place; the same request twice has the effect of one.
    public static let put = HTTPMethod(rawValue: "PUT")
    /// Changes a part.
    public static let patch = HTTPMethod(rawValue: "PATCH")
    /// Takes something away.
    public static let delete = HTTPMethod(rawValue: "DELETE")
}
