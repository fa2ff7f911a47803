/// The error for a request that received no response.
public struct TransportError: Error, Sendable, CustomStringConvertible {
    /// The reason why there is no response.
    public enum Code: String, Sendable {
        /// The host could not be found or reached, or the connection was lost.
        case unreachable
        /// The response did not arrive in time.
        case timedOut
        /// The server's identity could not be verified (TLS).
        case untrusted
        /// The caller's task was cancelled.
        case cancelled
        /// The request cannot be sent because it is invalid: for example, the origin has a path, the path has
        /// no leading slash, or a header field contains a line break.
        case invalidRequest
        /// The response is larger than the transport accepts, or is not HTTP.
        case invalidAnswer
    }

    /// The reason why there is no response.
    public let code: Code

    /// A description of the error for developers; contains no part of the request except the host.
    public let message: String

    /// Whether the request definitely never left this device, so that it can be repeated safely.
    public let neverSent: Bool

    /// Creates an error.
    ///
    /// - Parameters:
    ///   - code: The reason why there is no response.
    ///   - message: A sentence for developers, without secrets.
    ///   - neverSent: Whether the request definitely never left this device; `false` if this is uncertain.
    public init(_ code: Code, message: String, neverSent: Bool = false) {
        self.code = code
        self.message = message
        self.neverSent = neverSent
    }

    /// The code and the message.
    public var description: String { "\(code.rawValue): \(message)" }
}
