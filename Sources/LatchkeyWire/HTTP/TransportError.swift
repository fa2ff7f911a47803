/// Thrown when a request fails without a usable response.
public struct TransportError: Error, Sendable, CustomStringConvertible {
    /// The reason why there is no usable response.
    public enum Code: String, Sendable {
        /// The host could not be found or reached, or the connection was lost.
        case unreachable
        /// The response was not received in time.
        case timedOut
        /// The server's identity could not be verified with TLS.
        case untrusted
        /// The calling task was cancelled.
        case cancelled
        /// The request is invalid, so it was not sent. For example, the origin contains a path, the path
        /// doesn't start with a slash, or a header field contains a line break.
        case invalidRequest
        /// The response is larger than allowed or isn't valid HTTP.
        case invalidResponse
    }

    /// The reason why there is no usable response.
    public let code: Code

    /// A description of the error for developers.
    ///
    /// The description contains no part of the request other than the host.
    public let message: String

    /// Whether the request definitely wasn't sent, so that sending it again is safe.
    public let neverSent: Bool

    /// The underlying error, such as the error thrown by the producer of an upload or by the network library
    /// of an app's own transport.
    ///
    /// The client neither logs nor prints this error.
    public let cause: (any Error)?

    /// The status line and the header fields that were received before the transfer failed, or `nil` if the
    /// transport doesn't know them.
    ///
    /// The header fields may be incomplete, and the body is empty.
    package var head: HTTP.Response?

    /// Creates an error.
    ///
    /// - Parameters:
    ///   - code: The reason why there is no usable response.
    ///   - message: A sentence for developers that doesn't contain any secrets.
    ///   - neverSent: Whether the request definitely wasn't sent. Pass `false` if the request may have been
    ///     sent.
    ///   - cause: The underlying error, if any.
    public init(_ code: Code, message: String, neverSent: Bool = false, cause: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.neverSent = neverSent
        self.cause = cause
    }

    /// The code, followed by the message.
    public var description: String { "\(code.rawValue): \(message)" }
}
