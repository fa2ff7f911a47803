/// A response that doesn't have the identity server's format, such as the page of a proxy or a captive portal.
///
/// It doesn't say what the server has done with the request. If an error has this cause, the same call may succeed
/// later.
public struct UnrecognizedResponse: Error, Sendable {
    /// The HTTP status.
    public var status: Int

    /// The time to wait before the next attempt, or `nil` if the response didn't specify one.
    public var retryAfter: Duration?

    /// Creates a response.
    ///
    /// - Parameters:
    ///   - status: The HTTP status.
    ///   - retryAfter: The time to wait before the next attempt, if the response specified one.
    public init(status: Int, retryAfter: Duration? = nil) {
        (self.status, self.retryAfter) = (status, retryAfter)
    }
}

extension UnrecognizedResponse: CustomStringConvertible {
    /// A sentence with the status.
    public var description: String {
        "The response with status \(status) does not have the identity server's format for this request."
    }
}
